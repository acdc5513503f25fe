#include "runtime/streams/latency_probe.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir {
namespace {

using namespace testing;
using detail::latency_probe;
using detail::order_slot;

class a_latency_probe : public gives_all_back {
 protected:
  // Follows a record that takes `seconds`.
  void follow(double seconds) {
    order_slot* const slot = probe.follow();
    time->advance(seconds);
    slot->let_go();
  }

  const std::shared_ptr<virtual_time> time = std::make_shared<virtual_time>("core:1 pu:1");
  detail::run_state run{bypass(), on(time)};
  latency_probe probe{run.environment().life};
};

TEST_F(a_latency_probe, knows_nothing_before_a_record_was_followed_to_its_end) {
  const latency_probe::summary none = probe.seen();
  EXPECT_EQ(none.followed, 0u);
  EXPECT_TRUE(std::isnan(none.mean) && std::isnan(none.p50) && std::isnan(none.p99));
}

TEST_F(a_latency_probe, of_a_hundred_known_times_has_their_mean_and_quantiles) {
  for (int i = 100; i > 0; --i) follow(i);
  const latency_probe::summary seen = probe.seen();
  EXPECT_EQ(seen.followed, 100u);
  EXPECT_NEAR(seen.mean, 50.5, 1e-9);
  EXPECT_NEAR(seen.p50, 50, 1e-9) << "the 50th of 100";
  EXPECT_NEAR(seen.p99, 99, 1e-9);
}

TEST_F(a_latency_probe, has_the_mean_of_all_and_the_quantiles_of_the_last_1024) {
  for (int i = 0; i < 1024; ++i) follow(1);
  for (int i = 0; i < 1024; ++i) follow(3);
  const latency_probe::summary seen = probe.seen();
  EXPECT_EQ(seen.followed, 2048u);
  EXPECT_NEAR(seen.mean, 2, 1e-9);
  EXPECT_NEAR(seen.p50, 3, 1e-9);
  EXPECT_NEAR(seen.p99, 3, 1e-9);
}

// The records that a record causes keep its slot, too.
TEST_F(a_latency_probe, counts_until_the_last_of_all_that_the_record_caused_is_over) {
  order_slot* const slot = probe.follow();
  slot->hold();
  time->advance(2);
  slot->let_go();
  EXPECT_EQ(probe.seen().followed, 0u);
  time->advance(5);
  slot->let_go();
  EXPECT_EQ(probe.seen().followed, 1u);
  EXPECT_NEAR(probe.seen().mean, 7, 1e-9);
}

TEST_F(a_latency_probe, forgets_a_record_that_was_not_let_in) {
  order_slot* const slot = probe.follow();
  latency_probe::forget(*slot);
  slot->let_go();
  EXPECT_EQ(probe.seen().followed, 0u);
}

TEST_F(a_latency_probe, does_not_count_what_a_stopping_run_drops) {
  order_slot* const slot = probe.follow();
  time->advance(1);
  run.stop();
  slot->let_go();
  EXPECT_EQ(probe.seen().followed, 0u);
}

// The first 64 records are all followed. After that, it is one per power of two of the records in a millisecond, so 500
// to 1000 per second. At lower rates all are followed.
TEST_F(a_latency_probe, follows_the_first_records_and_then_about_a_thousand_a_second) {
  constexpr std::uint64_t first = 64, next = 1 << 21;
  const auto wanted = [&] {
    std::uint64_t count = 0;
    for (std::uint64_t sent = first; sent < first + next; ++sent) count += probe.wants(sent);
    return static_cast<double>(count) / static_cast<double>(next);
  };
  for (const double rate : {0.0, 1.0, 999.0, 3e3, 1e5, 1e6, 1.9e6}) {
    SCOPED_TRACE(rate);
    probe.aim(rate);
    for (std::uint64_t sent = 0; sent < first; ++sent) EXPECT_TRUE(probe.wants(sent));
    if (rate <= 1000) {
      EXPECT_EQ(wanted(), 1);
    } else {
      EXPECT_GE(rate * wanted(), 500 * (1 - 1e-3));
      EXPECT_LE(rate * wanted(), 1000 * (1 + 1e-3));
    }
  }
}

}  // namespace
}  // namespace weir

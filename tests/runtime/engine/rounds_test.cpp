#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include <weir/report/report.hpp>
#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/gives_all_back.hpp"

// How often a record that loops through a star is queued, on a clock that only the box advances.
namespace weir {
namespace {

using namespace testing;

class rounds : public gives_all_back {
 protected:
  const std::shared_ptr<virtual_time> time = std::make_shared<virtual_time>("core:1 pu:1");

  // How often `records` records that are sent together are queued in a star of `stages` stages, once its box is known
  // to take `seconds`.
  std::uint64_t queued(int records, std::int64_t stages, double seconds) {
    return queued(records, stages, box("down", takes(n), gives(n), [&](std::int64_t k) {
                    time->advance(seconds);
                    return k - 1;
                  }));
  }

  std::uint64_t queued(int records, std::int64_t stages, const network& down) {
    options o = on(time);
    o.policy = fixed_shares{};
    detail::run_state run(star(down, pattern{n}.where(n == 0)), o);
    const auto pass = [&](int count) {
      record out;
      for (int i = 0; i < count; ++i) run.send(record(n = stages));
      for (int i = 0; i < count; ++i) EXPECT_TRUE(run.next(out));
      run.step();
    };
    const auto went_back = [&] {
      std::uint64_t all = 0;
      for (const stream_report& s : run.report().streams)
        if (s.to == "star again") all += s.records;
      return all;
    };
    for (int i = 0; i < 8; ++i) pass(1);
    const std::uint64_t before = went_back();
    EXPECT_GT(before, 0u) << "before it was known";
    pass(records);
    const std::uint64_t count = went_back() - before;
    run.close();
    run.wait();
    return count;
  }
};

TEST_F(rounds, of_a_short_way_are_gone_at_once_however_many_records_there_are) {
  EXPECT_EQ(queued(32, 100, 1e-6), 0u);
  EXPECT_EQ(queued(32, 1000, 1e-9), 0u);
}

// A record makes 64 rounds without a pause, then others run; 200 rounds have three such pauses.
TEST_F(rounds, of_a_long_way_let_others_in_every_64) {
  EXPECT_EQ(queued(1, 200, 1e-3), 3u);
  EXPECT_EQ(queued(1, 200, 4e-6), 3u) << "each is short, all together are not";
}

TEST_F(rounds, without_end_let_others_in_every_1024) { EXPECT_EQ(queued(1, 5000, 1e-9), 4u); }

TEST_F(rounds, of_what_a_box_emits_are_gone_when_it_returns) {
  const auto down = [&](std::int64_t k, emitter& emit) {
    time->advance(1e-6);
    emit(n = k - 1);
  };
  EXPECT_EQ(queued(32, 100, box("down", takes(n), gives(n), down)), 0u);
}

// A box that emits two for one, again and again, sees them all in the order in which it emitted them.
TEST_F(rounds, keep_the_order_of_what_a_box_emits) {
  std::vector<std::int64_t> seen, in_order;
  const network two = box("two", takes(n), gives(n), [&](std::int64_t k, emitter& emit) {
    time->advance(1e-9);
    seen.push_back(k);
    emit(n = 2 * k);
    emit(n = 2 * k + 1);
  });
  options o = on(time);
  o.policy = fixed_shares{};
  detail::run_state run(star(two, pattern{n}.where(n >= 64)), o);
  for (std::int64_t k = 1; k < 64; ++k) in_order.push_back(k);
  for (int i = 0; i < 8; ++i) {
    seen.clear();
    run.send(record(n = 1));
    record out;
    for (std::int64_t k = 64; k < 128; ++k) {
      EXPECT_TRUE(run.next(out));
      EXPECT_EQ(out[n], k);
    }
    run.step();  // the learnt times now make batches larger
    EXPECT_EQ(seen, in_order) << "input " << i;
  }
  run.close();
  run.wait();
}

// Looping records keep their order, however many of them a batch takes. Here one input makes sixteen records that reach
// the box again and again.
TEST_F(rounds, keep_the_order_of_those_on_the_way) {
  std::vector<std::int64_t> seen;
  const auto spread = [](int from, int to) {  // one into four: 4 * k + 1 .. 4 * k + 4
    return filter(takes(n, k))
        .when(from <= k && k <= to)
        .emit(n, k = 4 * k + 1)
        .emit(n, k = 4 * k + 2)
        .emit(n, k = 4 * k + 3)
        .emit(n, k = 4 * k + 4)
        .otherwise()
        .emit(n, k);
  };
  const network down = box("down", takes(n, k), gives(n, k), [&](std::int64_t left, std::int64_t which) {
    time->advance(1e-9);
    seen.push_back(which);
    return std::tuple(left - 1, which);
  });
  options o = on(time);
  o.policy = fixed_shares{};
  detail::run_state run(feedback(spread(0, 0) >> spread(1, 4) >> down, pattern{n}.where(n > 0)), o);
  for (int i = 0; i < 8; ++i) {
    seen.clear();
    run.send(record(n = 20, k = 0));
    record out;
    for (int count = 0; count < 16; ++count) EXPECT_TRUE(run.next(out));
    run.step();  // the learnt times now make batches larger
    std::vector<std::int64_t> in_order;
    for (int round = 0; round < 20; ++round)
      for (std::int64_t which = 5; which <= 20; ++which) in_order.push_back(which);
    EXPECT_EQ(seen, in_order) << "input " << i;
  }
  run.close();
  run.wait();
}

}  // namespace
}  // namespace weir

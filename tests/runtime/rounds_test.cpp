#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "runtime/report.hpp"
#include "runtime/run_state.hpp"
#include "tests/runtime/labels.hpp"
#include "tests/runtime/virtual_time.hpp"
#include "tests/support/gives_all_back.hpp"

// How often a record on its way round a star queues up there: on a clock that only the box moves.
namespace weir {
namespace {

using namespace testing;

class rounds : public gives_all_back {
 protected:
  const std::shared_ptr<virtual_time> time = std::make_shared<virtual_time>("core:1 pu:1");

  // How often `records` that are sent at once queue up on their way through a star of so many stages, of a box that
  // takes so many seconds, once that is known.
  std::uint64_t queued(int records, std::int64_t stages, double seconds) {
    const network down = box("down", takes(n), gives(n), [&](std::int64_t k) {
      time->advance(seconds);
      return k - 1;
    });
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

// 64 rounds are gone at once, then others have their turn; of 200 rounds that leaves three such moments.
TEST_F(rounds, of_a_long_way_let_others_in_every_64) {
  EXPECT_EQ(queued(1, 200, 1e-3), 3u);
  EXPECT_EQ(queued(1, 200, 4e-6), 3u) << "each is short, all together are not";
}

TEST_F(rounds, without_end_let_others_in_every_1024) { EXPECT_EQ(queued(1, 5000, 1e-9), 4u); }

}  // namespace
}  // namespace weir

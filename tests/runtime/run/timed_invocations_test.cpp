#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/gives_all_back.hpp"

// Which invocations are timed, on a clock that only they advance.
namespace weir {
namespace {

using namespace testing;

class timed_invocations : public gives_all_back {
 protected:
  const std::shared_ptr<virtual_time> time = std::make_shared<virtual_time>("core:1 pu:1");

  // Runs `records` records, `together` at a time, through a box in the shared group or on its own core. The k-th
  // invocation takes seconds(k). Returns the number of timed invocations, by their duration.
  std::map<double, int> timed(int records, const std::function<double(int)>& seconds, bool owns = false,
                              int together = 1) {
    std::map<double, int> seen;
    options o = on(time);
    o.policy = owns ? fixed_shares{{"f", 1}} : fixed_shares{};
    o.on_observation = [&](std::string_view, const observation& one) { ++seen[one.x]; };
    const network net = box("f", takes(n), gives(n), [&](std::int64_t k) {
                          time->advance(seconds(static_cast<int>(k)));
                          return k;
                        }).predicted_by([&](std::int64_t k) { return seconds(static_cast<int>(k)); }, degree{1});
    detail::run_state run(net, o);
    record out;
    for (int k = 0; k < records; k += together) {
      for (int i = 0; i < together; ++i) run.send(record(n = k + i));
      for (int i = 0; i < together; ++i) EXPECT_TRUE(run.next(out));
      if (k % 8 == 0) run.step();
    }
    run.close();
    run.wait();
    return seen;
  }

  static int sum(const std::map<double, int>& of) {
    int all = 0;
    for (const auto& [seconds, count] : of) all += count;
    return all;
  }
};

TEST_F(timed_invocations, are_all_those_of_60_us_and_more) {
  constexpr double us = 1e-6;
  EXPECT_EQ(sum(timed(3000, [&](int) { return 60 * us; })), 3000);
}

TEST_F(timed_invocations, are_all_those_of_a_component_with_cores_of_its_own) {
  constexpr double us = 1e-6;
  EXPECT_EQ(sum(timed(
                3000, [&](int) { return 10 * us; }, true)),
            3000);
}

// The run examines the timed invocations after the first record, and not again before all eight are through.
TEST_F(timed_invocations, end_with_the_fourth_short_one_in_a_row_before_a_step_sees_them) {
  constexpr double us = 1e-6;
  const int of_short = sum(timed(8, [&](int) { return us; }));
  EXPECT_GE(of_short, 4);
  EXPECT_LE(of_short, 5);  // one in 64 is timed, which may be among the last
  EXPECT_EQ(sum(timed(8, [&](int k) { return (k % 4 == 3 ? 6 : 1) * us; })), 8);
  EXPECT_EQ(sum(timed(
                8, [&](int) { return us; }, true)),
            8);
}

// 20,000 of 25 us are half a second; for 6 and 10 us one in 63 is more than 1,000 per second.
TEST_F(timed_invocations, of_less_are_1_000_a_second_or_one_in_63_once_the_box_is_known) {
  constexpr double us = 1e-6;
  const std::pair<double, int> counts[]{{25, 500}, {10, 20'000 / 63}, {6, 20'000 / 63}};
  for (const auto& [each, expected] : counts) {
    const int count = sum(timed(20'000, [&, t = each * us](int) { return t; })) - static_cast<int>(learner::window);
    EXPECT_GT(count, .8 * expected) << each;
    EXPECT_LT(count, 1.3 * expected) << each;
  }
}

// Half of the timed ones are of each kind if two kinds alternate, whichever takes longer, in any batch size.
TEST_F(timed_invocations, of_inputs_that_alternate_are_as_many_of_each) {
  constexpr double us = 1e-6;
  const std::pair<double, double> pairs[]{{.5, .6}, {10, 11}, {30, 33}, {45, 5}, {30, 1}, {40, 41}};
  for (const auto& [even, odd] : pairs)
    for (const int together : {1, 16}) {
      const int records = even < 1 ? 100'000 : 20'000;  // the first ones are sampled more rarely
      const auto seen = timed(
          records, [e = even * us, o = odd * us](int k) { return k % 2 ? o : e; }, false, together);
      ASSERT_EQ(seen.size(), 2u);
      const double one = seen.begin()->second, all = one + seen.rbegin()->second;
      EXPECT_LT(all, .75 * records) << even << " us: they are not sampled";
      EXPECT_NEAR(one / all, .5, .1) << even << " and " << odd << " us, " << together << " at once";
    }
}

}  // namespace
}  // namespace weir

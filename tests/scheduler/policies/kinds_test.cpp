#include <gtest/gtest.h>

#include <weir/scheduler/policies/adaptive.hpp>
#include "scheduler/expect/expectation.hpp"
#include "tests/scheduler/kind_views.hpp"

namespace weir {
namespace {

using namespace testing;

constexpr double longest_with_a_state = 1341.9e-6;  // no division is faster

double best_on(const std::string& machine) {
  const system_view view = view_on(machine, receiver());
  return expected_times(view, adaptive{}.decide(view)).bottleneck;
}

// The published optimum. Stages of neighbouring tasks need 11 P cores for it. A shared group may have any tasks, and
// needs one core less. The work of a record is 9.4 times the longest task.
TEST(dvbs2, reaches_the_published_optimum_on_eleven_cores_and_no_better_on_more) {
  EXPECT_GT(best_on("core:8 pu:1"), longest_with_a_state * 1.1);
  for (const char* machine : {"core:10 pu:1", "core:11 pu:1", "core:12 pu:1", "core:24 pu:1"})
    EXPECT_NEAR(best_on(machine), longest_with_a_state, 1e-9) << machine;
}

// HeRAD, the optimal scheduler of the publication, reaches it on 6 P and 8 E cores; on 3 and 4 it takes 2722.1 us.
TEST(dvbs2, reaches_the_published_optimum_on_two_kinds_of_cores) {
  EXPECT_NEAR(best_on("core:14 pu:1 kinds:6xP,8xE"), longest_with_a_state, 1e-9);
  EXPECT_LT(best_on("core:7 pu:1 kinds:3xP,4xE"), 2722.1e-6 * 1.02);
}

TEST(dvbs2, is_met_by_ten_cores_at_the_rate_that_keeps_its_longest_task_busy) {
  const double rate = .84 / longest_with_a_state;
  const system_view view = view_on("core:24 pu:1", receiver());
  EXPECT_EQ(adaptive{objective::fewest_cores({rate})}.decide(view).cores_used(), 10);
}

// Fast cores come first: on 24 of each kind it is as if there were no slow ones.
TEST(dvbs2, is_met_by_as_few_cores_where_there_are_slow_ones_as_well) {
  stream_demand asked{.84 / longest_with_a_state};
  const system_view view = view_on("core:48 pu:1 kinds:24xP,24xE", receiver());
  const allotment given = adaptive{objective::fewest_cores(asked)}.decide(view);
  EXPECT_EQ(given.cores_used(), 10);
  for (const share& s : given.components)
    for (const int core : s.cores) EXPECT_LT(core, 24);
  for (const int core : given.shared) EXPECT_LT(core, 24);
}

// Two equal components and a slow core for each two fast ones: who loses less gets the slow ones.
TEST(kinds, of_slow_cores_go_to_the_component_that_loses_least_on_them) {
  using namespace testing;
  const system_view view = view_on("core:4 pu:1 kinds:2xP,2xE", {on_kinds(component("a", amdahl(1, 0)), {1.1}),
                                                                 on_kinds(component("b", amdahl(1, 0)), {3})});
  EXPECT_EQ(to_string(adaptive{}.decide(view), {"a", "b"}), "a 2 cores x 2 lanes {2-3}, b 2 cores x 2 lanes {0-1}");
}

// An answer in force is still the answer.
TEST(kinds, of_an_answer_in_force_stay) {
  system_view view = view_on("core:14 pu:1 kinds:6xP,8xE", receiver());
  for (const objective& goal :
       {objective::throughput, objective::latency, objective::fewest_cores({400}), objective::latency_at(300)}) {
    view.current = {};
    view.current = adaptive{goal}.decide(view);
    EXPECT_EQ(check(view.current, view.cores), "");
    EXPECT_EQ(adaptive{goal}.decide(view), view.current) << goal.name();
  }
}

}  // namespace
}  // namespace weir

#include <gtest/gtest.h>

#include <vector>

#include <weir/scheduler/place/placement.hpp>
#include "bench/rivals/autotune.hpp"
#include "bench/rivals/half_efficiency.hpp"
#include "bench/rivals/reservation.hpp"
#include "bench/rivals/saturation_aware.hpp"
#include "tests/scheduler/views.hpp"

namespace weir::rivals {
namespace {

using testing::amdahl;
using testing::component;
using testing::cores_of;
using testing::truth;
using testing::view_of;

// Components of one core an invocation that take these seconds, with records waiting at their inputs.
system_view view_with(int cores, const std::vector<double>& seconds, const std::vector<std::size_t>& waiting) {
  system_view view = view_of(cores, {});
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    component_view c = component(testing::numbered("c", static_cast<int>(i)), amdahl(seconds[i], 0));
    c.invocations = c.invocations_since_move = 20;
    c.sequential = true;
    c.queue_length = waiting[i];
    c.arrival_rate = 1000;
    view.components.push_back(c);
  }
  return view;
}

// The same with these cores in force, in as many lanes.
system_view in_force(system_view view, const std::vector<int>& cores) {
  core_counts counts;
  for (const int n : cores) counts.components.push_back({n, n});
  view.current = place(counts, view);
  return view;
}

TEST(autotune, gives_the_next_core_to_the_slowest_until_all_are_used) {
  EXPECT_EQ(cores_of(autotune().decide(view_with(10, {0.2, 0.1, 0.1}, {0, 0, 0}))), (std::vector<int>{5, 3, 2}));
}

TEST(half_efficiency, leaves_cores_idle_that_would_be_used_by_less_than_a_half) {
  // T(p) = 1/(2p) + 1/2: the efficiency 1/(p T(p)) = 2/(1 + p) is one half on three cores.
  system_view view = view_of(16, {component("a", amdahl(1, .5), 1), component("b", amdahl(.1, .5), 1)});
  EXPECT_EQ(cores_of(half_efficiency().decide(view))[0], 3);
  view.components[0].max_width = unlimited;
  view.components[0].sequential = true;
  EXPECT_GT(cores_of(half_efficiency().decide(view))[0], 8) << "lanes of one core are efficient";
}

TEST(saturation_aware, begins_with_one_core_each_and_grows_by_one_while_nothing_is_trusted) {
  system_view view = view_with(16, {0.2, 0.1}, {9, 9});
  EXPECT_EQ(cores_of(saturation_aware().decide(view)), (std::vector<int>{1, 1}));
  view = in_force(view, {1, 1});
  for (component_view& c : view.components) c.invocations = c.invocations_since_move = 4;
  EXPECT_EQ(cores_of(saturation_aware().decide(view)), (std::vector<int>{2, 2}));
  view.components[1].queue_length = 0;
  EXPECT_EQ(cores_of(saturation_aware().decide(view)), (std::vector<int>{2, 1})) << "there is nothing to feed it with";
}

TEST(saturation_aware, grows_the_component_at_the_supply_cliff_not_the_one_it_starves) {
  // The last takes longest and is starved: only the first has records waiting.
  const system_view view = in_force(view_with(16, {0.1, 0.4}, {9, 0}), {2, 6});
  const std::vector<int> next = cores_of(saturation_aware().decide(view));
  EXPECT_GE(next[0], 2);
  EXPECT_LE(next[1], 6) << "a starved component never grows";
}

TEST(saturation_aware, takes_cores_from_who_has_more_than_the_slowest_rate_needs) {
  // The second carries 4/0.4 = 10 a second; the first needs one core for that and has 12.
  const system_view view = in_force(view_with(16, {0.1, 0.4}, {9, 9}), {12, 4});
  const std::vector<int> next = cores_of(saturation_aware().decide(view));
  EXPECT_LT(next[0], 12);
  EXPECT_GT(next[1], 4);
}

// A component that no record reaches yet keeps its cores, and the shared group its own: they are not given twice.
TEST(saturation_aware, gives_no_core_that_a_component_without_records_or_the_shared_group_has) {
  system_view view = in_force(view_with(8, {0.1, 0.1, 0.1}, {9, 9, 0}), {3, 3, 2});
  view.components[2].visits = 0;
  for (int step = 0; step < 4; ++step) {
    view.current = saturation_aware().decide(view);
    ASSERT_EQ(check(view.current, view.cores), "");
    ASSERT_EQ(cores_of(view.current)[2], 2);
  }
}

// While there were fewer cores than components, all shared them. More cores are used when they come.
TEST(saturation_aware, starts_anew_when_there_are_enough_cores_for_all) {
  system_view view = view_with(2, {0.1, 0.1, 0.2}, {9, 9, 9});
  view.current = saturation_aware().decide(view);
  ASSERT_EQ(cores_of(view.current), (std::vector<int>{0, 0, 0}));
  view.cores = core_set::range(0, 12);
  for (int step = 0; step < 12; ++step) view.current = saturation_aware().decide(view);
  const std::vector<int> given = cores_of(view.current);
  EXPECT_GE(given[0], 3);
  EXPECT_GE(given[1], 3);
  EXPECT_GT(given[2], given[0]);
}

TEST(reservation, grows_who_has_tasks_waiting_by_one_core_and_shrinks_who_has_none) {
  system_view view = in_force(view_with(16, {0.2, 0.1}, {9, 0}), {2, 4});
  view.components[1].arrival_rate = 0;
  EXPECT_EQ(cores_of(reservation().decide(view)), (std::vector<int>{3, 3}));
}

TEST(reservation, leaves_the_reserved_quarter_of_another_idle) {
  system_view view = in_force(view_with(16, {0.2, 0.1}, {999, 0}), {4, 1});
  view.components[1].arrival_rate = 10;  // its only lane is busy, and nothing waits
  for (int i = 0; i < 30; ++i) view = in_force(view, cores_of(reservation().decide(view)));
  EXPECT_EQ(cores_of(view.current), (std::vector<int>{12, 1}));
}

TEST(followed_rules, count_their_own_answer_as_half_the_cost_of_any_other) {
  const system_view view = in_force(view_with(16, {0.2, 0.1}, {9, 0}), {2, 4});
  const reservation rule;
  EXPECT_EQ(rule.assess(view, rule.decide(view)).cost, 1);
  EXPECT_EQ(rule.assess(view, view.current).cost, 2);
}

}  // namespace
}  // namespace weir::rivals

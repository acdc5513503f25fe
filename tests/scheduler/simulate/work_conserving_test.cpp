#include <gtest/gtest.h>

#include <weir/scheduler/policies/adaptive.hpp>
#include "scheduler/control/controller.hpp"
#include "scheduler/expect/work_conserving.hpp"
#include "scheduler/simulate/hindsight.hpp"
#include "scheduler/simulate/simulated_run.hpp"
#include "tests/scheduler/views.hpp"

// Streams whose boxes run at any width: cores that all boxes share are never idle while a record waits.
namespace weir {
namespace {

using namespace simulation;
using testing::amdahl;

// A server of four boxes on 16 cores, one of which has half of the work and heavy tails; `width` lanes each.
scenario server(int width) {
  scenario s;
  s.cores = 16;
  s.records = 2000;
  s.move_cost = 0.002;
  const auto add = [&](const char* name, double seconds, double alpha, double late) {
    simulated_component c;
    c.name = name;
    c.cost = law_cost{{seconds}, alpha, 0, 0, 0, {}};
    c.degree = 0;
    c.noise = 0.2;
    c.max_width = width;
    if (late > 0) c.late = {late, 4, 1.5};
    s.components.push_back(c);
  };
  add("parse", 0.004, 0.3, 0);
  add("lookup", 0.02, 0.6, 0);
  add("rank", 0.05, 0.9, 0.05);
  add("render", 0.015, 0.8, 0);
  return s;
}

// Whatever the times of invocations are, no division of the cores is faster, so a promised gain is noise.
TEST(a_work_conserving_allotment, is_where_free_width_begins_and_stays) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const simulated_result r = run(server(16), seed, contender{adaptive{}});
    EXPECT_TRUE(r.decisions.back().to == r.decisions.front().to) << seed;
    EXPECT_EQ(r.decisions.front().to.shared.size(), 16) << seed;
  }
}

// Where boxes of one lane cannot use the cores that they share, cores are divided as ever.
TEST(a_work_conserving_allotment, is_none_where_lanes_are_few) {
  const simulated_result r = run(server(1), 1, contender{adaptive{}});
  EXPECT_LT(r.decisions.front().to.shared.size(), 16);
  EXPECT_GT(r.decisions.back().to.components[2].cores.size(), 4);
}

// By the definition: all share all cores, of one kind, and no box of few lanes is near its rate.
TEST(a_work_conserving_allotment, has_all_components_on_all_cores) {
  using testing::component;
  using testing::view_of;
  system_view view = view_of(4, {component("a", amdahl(1, .5)), component("b", amdahl(.2, .5))});
  allotment all;
  all.components.resize(2);
  all.shared = view.cores;
  EXPECT_TRUE(is_work_conserving(view, all));
  allotment some = all;
  some.shared = core_set({0, 1, 2});
  EXPECT_FALSE(is_work_conserving(view, some)) << "a core is idle";
  some = all;
  some.components[0].cores = core_set({3});
  EXPECT_FALSE(is_work_conserving(view, some)) << "a component has a core of its own";
  view.components[1].blocking = 2;
  EXPECT_TRUE(is_work_conserving(view, all)) << "a component outside the cores takes none";
  view.components[1].blocking = 0;
  view.components[0].most_together = 8;
  EXPECT_FALSE(is_work_conserving(view, all)) << "an invocation may take several records";
  view.components[0].most_together = 1;
  view.components[0].model = component("a", [](double, int cores) { return cores > 1 ? .4 : 1; }).model;
  EXPECT_FALSE(is_work_conserving(view, all)) << "two cores take less core time than one";
  view.components[0] = component("a", amdahl(1, .5));
  view.components[1].max_width = 1;  // 0.2 s a record, where the cores allow one in 0.3 s
  EXPECT_FALSE(is_work_conserving(view, all)) << "one lane is near its rate";
  view.components[1] = component("b", amdahl(.1, .5), 1);
  EXPECT_TRUE(is_work_conserving(view, all));
}

// A queue that comes and goes at 60 % of the throughput is no reason to give up cores for a record's latency: the two
// goals would take turns.
TEST(latency_at, of_a_server_at_a_light_load_is_a_quarter_below_that_of_shared_cores) {
  scenario s = server(16);
  s.components[2].late = {};
  s.records = 4000;
  const double rate = 0.6 * 16 / 0.089;
  s.coming.how = arrivals::kind::profile;
  s.coming.rates = {{0, rate}};
  const objective goal = objective::latency_at(rate);
  allotment all_shared;
  all_shared.components.resize(s.components.size());
  all_shared.shared = core_set::range(0, s.cores);
  const simulated_result r = run(s, 1, contender{adaptive{goal}}), shared = testing::run_on(s, all_shared);
  EXPECT_LT(r.latency_mean, 0.75 * shared.latency_mean);
  EXPECT_LT(r.decisions.size(), 60u);
}

// Invariant: while the announced rate arrives, the latency alone says whether a move pays, since it has the wait behind
// the backlog. 1.5 % of throughput are less than a move must promise, yet they end two thirds of that wait. Where far
// more arrives, the latency at the announced rate says nothing, and throughput counts.
TEST(latency_at, near_saturation_a_little_throughput_is_worth_a_move) {
  using testing::component;
  using testing::cores_of;
  using testing::table;
  using testing::view_of;
  system_view view =
      view_of(8, {component("a", table({4, 2, 1.3, 1, .985}), 1), component("b", table({2, 1, .6, .5}), 1)});
  const policy rule = adaptive{objective::latency_at(1.005)};
  system_view before = view;
  for (component_view& c : before.components) c.recent.clear();
  view.current = rule.decide(before);
  ASSERT_EQ(cores_of(view.current), (std::vector<int>{4, 4}));
  for (component_view& c : view.components) c.invocations = c.invocations_since_move = 12;
  view.components[0].queue_length = 1;
  const auto next = [&](double arriving) {
    controller control(rule, {.by_draws = false});
    EXPECT_EQ(control.step(before), view.current);
    view.arrival_rate = arriving;
    return control.step(view);
  };
  const auto moved = next(1.005);
  ASSERT_TRUE(moved);
  EXPECT_EQ(cores_of(*moved), (std::vector<int>{5, 3}));
  EXPECT_EQ(next(2), std::nullopt);
}

}  // namespace
}  // namespace weir

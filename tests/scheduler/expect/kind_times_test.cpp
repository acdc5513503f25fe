#include "scheduler/expect/kind_times.hpp"

#include <gtest/gtest.h>

#include "scheduler/expect/expectation.hpp"
#include "tests/scheduler/kind_views.hpp"

namespace weir {
namespace {

using namespace testing;

const std::string four_and_four = "core:8 pu:1 kinds:4xP,4xE@0.5";

// Hill and Marty: the parallel part by the sum of speeds, the serial part on the fastest core.
TEST(kind_times, of_a_lane_across_kinds_add_up_the_speeds_and_keep_the_serial_part_on_the_fastest) {
  const double serial = .2, parallel = .8;
  const component_view c = component("a", amdahl(1, parallel));
  const topology machine = topology::synthetic(four_and_four);
  for (const core_set& lane : {core_set{0, 4}, core_set{0, 4, 5}, core_set{2, 3, 4, 5, 6}, machine.all()}) {
    double speeds = 0;
    for (int core : lane) speeds += core < 4 ? 1 : .5;
    const double by_hand = serial + parallel / speeds, by_model = serial + parallel / lane.size();
    EXPECT_NEAR(lane_factor(c, lane, machine) * by_model, by_hand, 1e-12) << to_string(lane);
  }
}

TEST(kind_times, of_a_lane_on_one_kind_are_the_model_s_times_the_factor_of_the_kind) {
  const topology machine = topology::synthetic(four_and_four);
  const component_view learnt = on_kinds(component("a", amdahl(1, .9)), {3});
  EXPECT_EQ(lane_factor(learnt, {1, 2}, machine), 1);
  EXPECT_EQ(lane_factor(learnt, {4, 5}, machine), 3);
  EXPECT_EQ(lane_factor(component("a", amdahl(1, .9)), {4, 5}, machine), 2) << "by the machine's speed";
}

// Two lanes on P take 1 s each, two on E 4 s each: 2.5 records a second.
TEST(kind_times, of_lanes_side_by_side_add_up_their_rates) {
  system_view view = view_on(four_and_four, {on_kinds(component("a", amdahl(1, 0)), {4})});
  EXPECT_NEAR(expected_times(view, {{{{2, 3, 4, 5}, 4}}, {}}).bottleneck, 1 / 2.5, 1e-12);
}

// On a P core the members take 3 s for a record, on an E core 2 + 4 = 6 s: together 1/3 + 1/6 records a second. The P
// core takes two of three records, so that the serial one of 2 s takes (2 + 2 + 4) / 3 s.
TEST(kind_times, of_a_group_give_fast_cores_more_of_the_work) {
  const system_view view = view_on("core:2 pu:1 kinds:1xP,1xE", {on_kinds(component("a", amdahl(1, 0)), {2}),
                                                                 on_kinds(component("b", amdahl(2, 0), 1), {2})});
  const expectation e = expected_times(view, {{{}, {}}, {0, 1}});
  EXPECT_NEAR(e.seconds[0] + e.seconds[1], 4, 1e-12);
  EXPECT_NEAR(e.seconds[1], 8. / 3, 1e-12);
  EXPECT_NEAR(e.shared, 8. / 3, 1e-12) << "it is serial, so the group waits for it";
  const expectation alone = expected_times(view, {{{}, {{0}, 1}}, {1}});
  EXPECT_EQ(alone.seconds[1], 2);
  EXPECT_EQ(alone.shared, 2);
}

// Equal cores are no kinds, whatever the factors say.
TEST(kind_times, change_nothing_where_cores_are_alike) {
  const component_view plain = component("a", amdahl(1, .9));
  const system_view alike = view_on("core:8 pu:1", {on_kinds(plain, {7})});
  const allotment given{{{{2, 3, 4}, 1}}, {}};
  EXPECT_FALSE(has_kinds(alike));
  EXPECT_EQ(expected_times(alike, given).bottleneck, expected_times(testing::view_of(8, {plain}), given).bottleneck);
  EXPECT_EQ(on_its_cores(alike, given).components[0].time_factor, 1);
  EXPECT_EQ(on_mean_cores(alike).components[0].time_factor, 1);
}

}  // namespace
}  // namespace weir

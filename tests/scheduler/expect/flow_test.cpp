#include "scheduler/expect/flow.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/scheduler/views.hpp"

namespace weir {
namespace {

using namespace testing;

TEST(flow, alone_a_record_waits_for_nobody_and_the_throughput_is_the_bottlenecks) {
  system_view view = view_of(8, testing::check_components());
  view.components[1].visits = 2;
  const flow f = expected_flow(view, {{{core_set::range(0, 4), 1}, {core_set::range(4, 3), 1}, {{7}, 1}}, {}}, 0);
  EXPECT_DOUBLE_EQ(f.latency, 3.45 + 2 * 2.4 + 2);
  EXPECT_DOUBLE_EQ(f.throughput, 1 / 4.8);
  EXPECT_EQ(f.longest, 1);
  EXPECT_EQ(f.utilisation, (std::vector<double>{0, 0, 0}));
}

TEST(flow, at_a_rate_every_component_holds_a_record_for_its_service_and_its_queue) {
  const system_view view = view_of(4, {component("a", amdahl(1, 0)), component("b", amdahl(1, 0))});
  const flow f = expected_flow(view, {{{{0}, 1}, {core_set::range(1, 3), 3}}, {}}, .5);
  EXPECT_DOUBLE_EQ(f.utilisation[0], .5);
  EXPECT_DOUBLE_EQ(f.utilisation[1], .5 / 3);
  EXPECT_DOUBLE_EQ(f.sojourn[0], 1.5);  // M/D/1
  EXPECT_GT(f.sojourn[1], 1);
  EXPECT_LT(f.sojourn[1], 1.01);
  EXPECT_DOUBLE_EQ(f.latency, f.sojourn[0] + f.sojourn[1]);
  EXPECT_EQ(f.longest, 0);
}

TEST(flow, variation_of_the_inputs_and_of_the_model_makes_records_wait) {
  system_view view = view_of(1, {component("a", [](double x, int) { return x; })});
  const auto wait = [&] { return expected_flow(view, {{{{0}, 1}}, {}}, .4).sojourn[0] - 1; };
  const double same = wait();
  view.components[0].recent = {{.5, 1, .5}, {1.5, 1, 1.5}};
  EXPECT_NEAR(wait(), same * 1.25, 1e-12);  // c^2 = .25
  view.components[0].recent = {{1, 1, 1}};
  view.components[0].model = std::make_shared<testing::known_truth>([](double x, int) { return x; }, true, 8, .5);
  EXPECT_NEAR(wait(), same * 1.25, 1e-12);
}

TEST(flow, members_wait_for_each_other_and_for_their_host) {
  const system_view view =
      view_of(2, {component("a", amdahl(.1, 0)), component("b", amdahl(.1, 0)), component("c", amdahl(1, 0))});
  const flow own = expected_flow(view, {{{}, {}, {{1}, 1}}, {0}}, .5);
  EXPECT_NEAR(own.sojourn[0], .1 + .1 * .1 / .9 / 2, 1e-12);
  const flow hosted = expected_flow(view, {{{}, {}, {{0, 1}, 1}}, {0}}, .5);
  const double all = .5 * (1 + .01 + .01) / 2 / (1 - .6);  // Pollaczek-Khinchine of the mixture
  EXPECT_NEAR(hosted.sojourn[0], .1 + all, 1e-12);
  EXPECT_NEAR(hosted.sojourn[2], 1 + all, 1e-12);
}

// A member has its own part of the work of its group; a serial one has one lane there.
TEST(flow, tells_the_busy_time_of_a_member_from_that_of_its_group) {
  system_view view =
      view_of(4, {component("a", amdahl(.2, 0)), component("b", amdahl(.6, 0)), component("c", amdahl(1, 0))});
  const flow f = expected_flow(view, {{{}, {}, {{2, 3}, 2}}, {0, 1}}, 1);
  EXPECT_DOUBLE_EQ(f.group_utilisation, .4);
  EXPECT_EQ(f.utilisation, (std::vector<double>{.4, .4, .5}));
  EXPECT_EQ(f.own_utilisation, (std::vector<double>{.1, .3, .5}));
  EXPECT_EQ(f.bottleneck, 2);
  view.components[2].visits = .5;
  EXPECT_EQ(expected_flow(view, {{{}, {}, {{2, 3}, 2}}, {0, 1}}, 1).bottleneck, 1)
      << "most of the group, not its first";
  view.components[0].max_width = 1;
  EXPECT_DOUBLE_EQ(expected_flow(view, {{{}, {}, {{2, 3}, 2}}, {0, 1}}, 1).own_utilisation[0], .2);
  EXPECT_EQ(expected_flow(view, {{{{0}, 1}, {{1}, 1}, {{2}, 1}}, {}}, 1).group_utilisation, 0);
}

TEST(flow, copies_of_a_record_in_one_group_do_not_travel_side_by_side) {
  system_view view = view_of(2, {component("a", amdahl(1, 0)), component("b", amdahl(1, 0))});
  view.links = {{-1, 0, 1}, {-1, 1, 1}, {0, -1, 1}, {1, -1, 1}};
  EXPECT_DOUBLE_EQ(expected_flow(view, {{{{0}, 1}, {{1}, 1}}, {}}, 0).latency, 1);
  EXPECT_DOUBLE_EQ(expected_flow(view, {{{}, {}}, {0}}, 0).latency, 2);
  EXPECT_DOUBLE_EQ(expected_flow(view, {{{}, {}}, {0, 1}}, 0).latency, 1);
  EXPECT_DOUBLE_EQ(expected_flow(view, {{{}, {{0, 1}, 1}}, {0}}, 0).latency, 2);
}

TEST(flow, more_than_a_component_can_do_takes_for_ever_and_what_is_not_known_is_nan) {
  const system_view view = view_of(2, {component("a", amdahl(1, 0)), testing::unobserved("b")});
  const flow f = expected_flow(view, {{{{0}, 1}, {{1}, 1}}, {}}, 2);
  EXPECT_TRUE(std::isinf(f.sojourn[0]));
  EXPECT_TRUE(std::isnan(f.sojourn[1]));
  EXPECT_TRUE(std::isnan(f.latency));
}

}  // namespace
}  // namespace weir

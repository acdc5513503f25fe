#include <weir/scheduler/divide/throughput.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/expect/expectation.hpp"
#include "tests/scheduler/divide/every_division.hpp"
#include "tests/scheduler/views.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace testing;

const policy by_throughput = adaptive{objective::throughput};

std::string decided(const system_view& view) { return to_string(by_throughput.decide(view), names_of(view)); }
double bottleneck(const system_view& view) { return expected_times(view, by_throughput.decide(view)).bottleneck; }

TEST(throughput, check_vectors_at_width_one) {
  const system_view eight = view_of(8, testing::check_components());
  EXPECT_EQ(cores_of(by_throughput.decide(eight)), (std::vector<int>{5, 2, 1}));
  EXPECT_NEAR(bottleneck(eight), 3.3, 1e-9);
  const system_view twelve = view_of(12, testing::check_components());
  EXPECT_EQ(cores_of(by_throughput.decide(twelve)), (std::vector<int>{7, 4, 1}));
  EXPECT_NEAR(bottleneck(twelve), 2.228571428, 1e-8);
  const system_view sixteen = view_of(16, testing::check_components());
  EXPECT_EQ(cores_of(by_throughput.decide(sixteen)), (std::vector<int>{9, 5, 2}));
  EXPECT_NEAR(bottleneck(sixteen), 1.866666667, 1e-8);
}

TEST(throughput, on_two_cores_a_long_component_owns_both_and_a_short_one_shares) {
  EXPECT_EQ(decided(view_of(2, {component("generate", amdahl(1e-3, 0)), component("multiply", amdahl(50e-3, .98), 1)})),
            "multiply 2 cores x 1 lane {0-1}, shared {0} (generate)");
}

TEST(throughput, two_equal_components_on_two_cores_own_one_each) {
  EXPECT_EQ(decided(view_of(2, {component("a", amdahl(1, .9)), component("b", amdahl(1, .9))})),
            "a 1 core x 1 lane {0}, b 1 core x 1 lane {1}");
}

TEST(throughput, sixteen_tiny_boxes_share_both_cores) {
  std::vector<component_view> boxes;
  for (int i = 0; i < 16; ++i) boxes.push_back(component(testing::numbered("box", i), amdahl(1e-6, 0)));
  const allotment given = by_throughput.decide(view_of(2, boxes));
  EXPECT_EQ(given.shared, core_set({0, 1}));
  EXPECT_EQ(cores_of(given), std::vector<int>(16, 0));
}

TEST(throughput, a_stateless_component_runs_one_lane_a_core_when_that_is_faster_by_a_hundredth) {
  EXPECT_EQ(decided(view_of(8, {component("a", amdahl(1, .9))})), "a 8 cores x 8 lanes {0-7}");
  EXPECT_EQ(decided(view_of(8, {component("a", amdahl(1, .9), 2)})), "a 8 cores x 2 lanes {0-7}");
  EXPECT_EQ(decided(view_of(8, {component("a", amdahl(1, .9999))})), "a 8 cores x 1 lane {0-7}");
}

TEST(throughput, a_component_whose_time_rises_again_gets_the_cores_of_its_minimum) {
  EXPECT_EQ(decided(view_of(8, {component("a", table({8, 5, 3, 4, 6}), 1)})), "a 3 cores x 1 lane {0-2}");
  EXPECT_EQ(decided(view_of(8, {component("a", table({8, 5, 3, 4, 6}), 2)})), "a 6 cores x 2 lanes {0-5}");
}

TEST(throughput, a_sequential_component_gets_one_core_a_lane) {
  system_view view = view_of(8, {component("a", amdahl(1, .9), 3), component("b", amdahl(.01, .9))});
  view.components[0].sequential = true;
  EXPECT_EQ(cores_of(by_throughput.decide(view)), (std::vector<int>{3, 5}));
}

TEST(throughput, an_invocation_gets_at_most_twice_the_cores_that_were_observed) {
  system_view view = view_of(32, {component("a", amdahl(1, .99), 1), component("b", amdahl(.001, .5), 1)});
  const auto observed = [&](bool alpha_known, int largest) {
    view.components[0].model = std::make_shared<testing::known_truth>(amdahl(1, .99), alpha_known, largest);
    return cores_of(by_throughput.decide(view))[0];
  };
  EXPECT_EQ(observed(true, 3), 6);
  EXPECT_EQ(observed(true, 8), 16);
  EXPECT_GE(observed(true, 16), 31);
  EXPECT_EQ(observed(false, 3), 6);
}

TEST(throughput, visits_weigh_and_a_component_never_visited_needs_no_core) {
  system_view view =
      view_of(4, {component("a", amdahl(1, .9)), component("b", amdahl(1, .9)), testing::unobserved("c")});
  view.components[0].visits = 3;
  view.components[2].visits = 0;
  EXPECT_EQ(decided(view), "a 3 cores x 3 lanes {0-2}, b 1 core x 1 lane {3}, shared {3} (c)");
}

// Shared cores are never idle while a record waits, and members of the group lose nothing by sharing.
TEST(throughput, until_everything_was_observed_all_cores_are_shared_where_members_can_use_as_many_as_owners) {
  system_view view = view_of(6, {component("a", amdahl(1, .9)), testing::unobserved("b")});
  EXPECT_EQ(decided(view), "shared {0-5} (a, b)");
  for (const objective& goal : {objective::latency_at(1), objective::fewest_cores({1})})
    EXPECT_EQ(to_string(adaptive{goal}.decide(view), names_of(view)), "shared {0-5} (a, b)") << goal.name();
  view.components[1].max_width = 1;
  view.components[1].sequential = true;
  EXPECT_EQ(decided(view), "shared {0-5} (a, b)");
  view.components[0].min_cores = 2;
  EXPECT_EQ(decided(view), "a 5 cores x 5 lanes {0-4}, b 1 core x 1 lane {5}") << "an owner in any case";
}

TEST(throughput, until_everything_was_observed_shares_are_equal_in_as_many_lanes_as_boxes_allow) {
  system_view view = view_of(6, {component("a", amdahl(1, .9)), testing::unobserved("b")});
  view.components[0].max_width = 2;
  view.components[1].max_width = 1;
  EXPECT_EQ(decided(view), "a 3 cores x 2 lanes {0-2}, b 3 cores x 1 lane {3-5}");
  EXPECT_EQ(adaptive{objective::latency}.decide(view), equal_shares{}.decide(view))
      << "a lone record has no use for it";
  EXPECT_EQ(decided(view_of(1, {component("a", amdahl(1, .9)), testing::unobserved("b")})), "shared {0} (a, b)");
}

TEST(throughput, options_out_of_range_are_named) {
  EXPECT_EQ(testing::refusal([] {
              adaptive{objective::throughput, {.growth = 0.5}};
            }),
            "throughput_options: growth is 0.5; it must be 1 or more");
}

TEST(throughput, ingredients_can_be_left_out_one_by_one) {
  const auto with = [](const throughput_options& options, const system_view& view) {
    return to_string(adaptive{objective::throughput, options}.decide(view), names_of(view));
  };
  const system_view one = view_of(8, {component("a", amdahl(1, .9))});
  EXPECT_EQ(with({.max_width = 1}, one), "a 8 cores x 1 lane {0-7}");
  system_view little = view_of(8, {component("a", amdahl(1, .99), 1)});
  little.components[0].model = std::make_shared<testing::known_truth>(amdahl(1, .99), true, 2);
  EXPECT_EQ(with({.growth = INFINITY}, little), "a 8 cores x 1 lane {0-7}");
  const system_view uneven = view_of(8, {component("a", amdahl(4, 0), 1), component("b", amdahl(3, .9), 1)});
  EXPECT_EQ(with({.leximin = false}, uneven), "a 1 core x 1 lane {0}, b 1 core x 1 lane {1}");
  const system_view two =
      view_of(2, {component("generate", amdahl(1e-3, 0)), component("multiply", amdahl(50e-3, .98), 1)});
  const system_view free = view_of(4, {component("a", amdahl(1, .5)), component("b", amdahl(.6, .5))});
  EXPECT_EQ(with({}, free), "shared {0-3} (a, b)");
  EXPECT_EQ(with({.wide_group = false}, free), "a 2 cores x 2 lanes {0-1}, b 2 cores x 2 lanes {2-3}");
  EXPECT_EQ(with({.hosting = false}, two), "generate 1 core x 1 lane {0}, multiply 1 core x 1 lane {1}");
}

// The least bottleneck of all allotments within the bounds, by trying all.
double by_force(const system_view& view) {
  std::vector<component_times> times = times_of(view);
  double best = INFINITY;
  testing::every_division(
      view, true, [&](const core_counts& counts) { best = std::min(best, expected_times(counts, times).bottleneck); });
  return best;
}

TEST(throughput, no_allotment_at_all_is_faster_by_more_than_what_counts_as_equal) {
  std::mt19937 random(5);
  int tried = 0;
  for (int trial = 0; tried < testing::fewer(1500); ++trial) {
    const system_view view = testing::random_view(random, 6, true);
    if (view.components.size() > 4 || !testing::can_own(view)) continue;
    ++tried;
    const allotment given = by_throughput.decide(view);
    ASSERT_EQ(check(given, view.cores), "");
    const double mine = expected_times(view, given).bottleneck, best = by_force(view);
    ASSERT_LE(mine, best * 1.0205) << "trial " << trial << ": " << to_string(given, names_of(view));
    ASSERT_GE(mine, best * (1 - 1e-9)) << "trial " << trial;
  }
}

// The number of model predictions in one decision: its cost, independent of the machine's load.
long long predictions_of_a_decision(int components, int cores, int recent) {
  std::mt19937 random(6);
  const auto asked = std::make_shared<long long>(0);
  std::vector<component_view> views;
  for (int i = 0; i < components; ++i) {
    const double sequential = std::pow(10.0, std::uniform_real_distribution<double>(-3, -1)(random));
    const auto truth = [=](double x, int p) {
      ++*asked;
      return sequential * x * (.95 / p + .05);
    };
    component_view c = component(testing::numbered("c", i), truth, 1);
    c.recent.clear();
    for (int j = 0; j < recent; ++j) c.recent.push_back({1 + j * .01, 1, sequential});
    views.push_back(c);
  }
  const system_view view = view_of(cores, views);
  *asked = 0;
  by_throughput.decide(view);
  return *asked;
}

TEST(throughput, asks_the_models_a_number_of_times_that_hardly_grows_with_the_machine) {
  const long long small = predictions_of_a_decision(10, 48, 64), large = predictions_of_a_decision(1000, 4096, 64);
  // Measured: 1074 and 108,392. A scan of every number of cores for every component would be 3840 and 32 million.
  EXPECT_LT(small, 1500);
  EXPECT_LT(large, 150000);
}

}  // namespace
}  // namespace weir

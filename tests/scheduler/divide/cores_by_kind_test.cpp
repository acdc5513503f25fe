#include "scheduler/divide/cores_by_kind.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "scheduler/expect/expectation.hpp"
#include "scheduler/place/kind_placement.hpp"
#include "tests/scheduler/kind_views.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace testing;

// Owners of one to three cores, and perhaps a group; each loses another part on a slow core.
struct random_division {
  system_view view;
  core_counts counts;
};

random_division drawn(std::mt19937& random, const std::string& machine, int cores, bool with_lanes) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  random_division d;
  std::vector<component_view> components;
  int left = cores - pick(0, 2);
  while (left > 0 && components.size() < 4) {
    const int some = std::min(left, pick(1, 3)), lanes = with_lanes ? pick(1, some) : some;
    const double slow = real(1, 3);
    components.push_back(
        on_kinds(component(testing::numbered("c", left), amdahl(real(.1, 1), .9)), {slow, slow * real(1, 2)}));
    d.counts.components.push_back({some, lanes});
    left -= some;
  }
  if (left > 0) {
    for (int m = pick(1, 3); m > 0; --m) {
      const double slow = real(1, 3);
      components.push_back(on_kinds(component(testing::numbered("m", m), amdahl(real(.01, .3), 0), pick(1, 3)),
                                    {slow, slow * real(1, 2)}));
      d.counts.components.push_back({0, 1});
    }
    d.counts.shared = std::min(left, pick(1, 3));
  }
  d.view = view_on(machine, std::move(components));
  if (d.view.machine->kinds().size() == 2)
    for (component_view& c : d.view.components) c.kind_factors.pop_back();
  return d;
}

double bottleneck(const random_division& d, const std::vector<core_counts>& of_kinds) {
  return expected_times(d.view, place_by_kind(d.counts, of_kinds, d.view)).bottleneck;
}

// The least bottleneck of all ways to say which kind each core is of.
double least_of_all(const random_division& d, int fast, int slow) {
  std::vector<core_counts> on(2, {std::vector<core_counts::entry>(d.counts.components.size()), 0, -1});
  double least = 1e9;
  const std::function<void(std::size_t, int, int)> choose = [&](std::size_t i, int fast_left, int slow_left) {
    const bool is_group = i == d.counts.components.size();
    const int cores = is_group ? d.counts.shared : d.counts.components[i].cores;
    for (int f = std::max(0, cores - slow_left); f <= std::min(cores, fast_left); ++f) {
      if (is_group) {
        on[0].shared = f;
        on[1].shared = cores - f;
        least = std::min(least, bottleneck(d, on));
      } else {
        on[0].components[i] = {f, std::max(1, f)};
        on[1].components[i] = {cores - f, std::max(1, cores - f)};
        choose(i + 1, fast_left - f, slow_left - (cores - f));
      }
    }
  };
  choose(0, fast, slow);
  return least;
}

TEST(cores_by_kind, of_lanes_of_one_core_have_the_least_bottleneck_of_all_ways) {
  std::mt19937 random(3);
  for (int trial = 0; trial < testing::fewer(300); ++trial) {
    const random_division d = drawn(random, "core:8 pu:1 kinds:3xP,5xE", 8, false);
    const double found = bottleneck(d, by_kind(d.counts, d.view, false));
    EXPECT_LE(found, least_of_all(d, 3, 5) * (1 + 1e-9)) << "trial " << trial;
  }
}

// Each has as many cores as before, no kind gives more than it has, and the sets are disjoint. An allotment in force
// stays.
TEST(cores_by_kind, add_up_to_the_numbers_and_become_sets_that_pass_the_check) {
  std::mt19937 random(4);
  for (int trial = 0; trial < testing::fewer(2000); ++trial) {
    const bool three = trial % 2;
    const std::string machine = three ? "core:9 pu:1 kinds:2xP,3xM,4xE" : "core:9 pu:1 kinds:4xP,5xE";
    random_division d = drawn(random, machine, 9, true);
    for (const bool for_latency : {false, true}) {
      const std::vector<core_counts> on = by_kind(d.counts, d.view, for_latency);
      const allotment given = place_by_kind(d.counts, on, d.view);
      ASSERT_EQ(check(given, d.view.cores), "") << "trial " << trial;
      for (std::size_t i = 0; i < d.counts.components.size(); ++i) {
        ASSERT_EQ(given.components[i].cores.size(), d.counts.components[i].cores) << "trial " << trial;
        for (std::size_t k = 0; k < on.size(); ++k)
          ASSERT_EQ(std::ranges::count_if(given.components[i].cores,
                                          [&](int c) { return (*d.view.machine)[c].kind == static_cast<int>(k); }),
                    on[k].components[i].cores);
      }
      ASSERT_EQ(given.shared.size(), d.counts.shared);
      d.view.current = given;
      EXPECT_EQ(place_by_kind(d.counts, by_kind(d.counts, d.view, for_latency), d.view), given) << "trial " << trial;
    }
  }
}

// A lane of several cores keeps to one kind where it can. Where it cannot, its cores are neighbours by number.
TEST(cores_by_kind, of_a_lane_across_kinds_are_neighbours) {
  const std::string machine = "core:8 pu:1 kinds:3xP,5xE@0.5";
  const auto given = [&](int first, int second) {
    const system_view view = view_on(machine, {component("a", amdahl(1, .9), 1), component("b", amdahl(.2, .9), 1)});
    const core_counts counts{{{first, 1}, {second, 1}}, 0, -1};
    return place_by_kind(counts, by_kind(counts, view, false), view);
  };
  EXPECT_EQ(given(3, 3).components[0].cores, core_set({0, 1, 2}));
  EXPECT_EQ(given(6, 2).components[0].cores.size(), 6);
  const core_set across = given(6, 2).components[0].cores;
  EXPECT_EQ(across, core_set::range(across[0], 6));
}

}  // namespace
}  // namespace weir

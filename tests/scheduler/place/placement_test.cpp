#include <weir/scheduler/place/placement.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "tests/scheduler/place/counted_places.hpp"
#include "tests/scheduler/views.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace testing;

system_view three(int cores) {
  return view_of(cores, {testing::unobserved("a"), testing::unobserved("b"), testing::unobserved("c")});
}

TEST(placement, deals_neighbours_in_network_order_and_the_shared_group_last) {
  const allotment given = place({{{3, 1}, {0, 1}, {2, 2}}, 2, -1}, three(8));
  EXPECT_EQ(to_string(given, {"a", "b", "c"}), "a 3 cores x 1 lane {0-2}, c 2 cores x 2 lanes {3-4}, shared {5-6} (b)");
}

TEST(placement, a_group_without_cores_lies_on_the_first_core_of_its_host) {
  EXPECT_EQ(place({{{3, 1}, {0, 1}, {5, 1}}, 0, 2}, three(8)).shared, core_set{3});
}

TEST(placement, uses_only_the_cores_of_the_run_in_their_order) {
  system_view view = three(16);
  view.cores = {2, 3, 7, 8, 11};
  const allotment given = place({{{2, 1}, {1, 1}, {0, 1}}, 2, -1}, view);
  EXPECT_EQ(given.components[0].cores, core_set({2, 3}));
  EXPECT_EQ(given.components[1].cores, core_set{7});
  EXPECT_EQ(given.shared, core_set({8, 11}));
  EXPECT_EQ(check(given, view.cores), "");
}

TEST(placement, who_needs_as_many_cores_as_before_keeps_them_while_the_others_find_room) {
  system_view view = three(8);
  view.current = place({{{4, 1}, {2, 1}, {2, 1}}, 0, -1}, view);
  const allotment less = place({{{3, 1}, {2, 1}, {2, 1}}, 0, -1}, view);
  EXPECT_EQ(cores_of(less), (std::vector<int>{3, 2, 2}));
  EXPECT_EQ(less.components[1], view.current.components[1]);
  EXPECT_EQ(less.components[2], view.current.components[2]);
  const allotment swapped = place({{{3, 1}, {3, 1}, {2, 1}}, 0, -1}, view);
  EXPECT_EQ(swapped.components[2], view.current.components[2]);
}

TEST(placement, of_any_counts_after_any_other_counts_passes_the_check) {
  std::mt19937 random(2);
  system_view view = three(12);
  for (int trial = 0; trial < testing::fewer(5000); ++trial) {
    core_counts counts;
    int left = 12;
    bool members = false;
    for (int i = 0; i < 3; ++i) {
      const int cores = std::min(left, static_cast<int>(random() % 7));
      counts.components.push_back({cores, 1});
      left -= cores;
      members = members || cores == 0;
    }
    if (members && left > 0)
      counts.shared = 1 + static_cast<int>(random() % static_cast<unsigned>(left));
    else if (members)
      counts.host = largest_owner(counts);
    const allotment given = place(counts, view);
    ASSERT_EQ(check(given, view.cores), "");
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(given.components[i].cores.size(), counts.components[i].cores);
    ASSERT_EQ(place(counts, view), given);
    view.current = given;
    ASSERT_EQ(place(counts, view), given) << "the same counts must not move anybody";
  }
}

// A view of components without bounds on some of a machine's cores.
system_view on_machine(int components, topology machine, core_set cores = {}) {
  system_view view;
  for (int i = 0; i < components; ++i) view.components.push_back(testing::unobserved(testing::numbered("c", i)));
  view.machine = std::make_shared<const topology>(std::move(machine));
  view.cores = cores.empty() ? view.machine->all() : cores;
  return view;
}

TEST(placement, what_fits_in_one_cache_does_not_lie_in_two_even_when_others_must_be_passed) {
  const system_view view = on_machine(4, topology::synthetic("package:2 core:8 pu:1"));
  // In network order the second would cross. So the third, which is still next to it in the stream, goes first.
  const allotment given = place({{{5, 1}, {5, 1}, {3, 1}, {3, 1}}, 0, -1}, view);
  EXPECT_EQ(check(given, view.cores), "");
  EXPECT_EQ(cost_of_places(given, view).crossings, 0) << to_string(given, names_of(view));
  // If there are idle cores, a gap avoids it.
  const allotment roomy = place({{{5, 1}, {5, 1}, {3, 1}, {0, 1}}, 1, -1}, view);
  EXPECT_EQ(cost_of_places(roomy, view).crossings, 0) << to_string(roomy, names_of(view));
  EXPECT_EQ(cost_of_places(roomy, view).apart, 0);
}

TEST(placement, what_fits_in_no_cache_crosses_as_few_as_it_can_and_its_lanes_none_where_that_can_be) {
  const system_view view = on_machine(2, topology::synthetic("package:4 core:6 pu:1"));
  const allotment wide = place({{{5, 1}, {12, 2}}, 0, -1}, view);
  EXPECT_EQ(cost_of_places(wide, view).lane_crossings, 0) << to_string(wide, names_of(view));
  EXPECT_EQ(cost_of_places(wide, view).crossings, 2) << "a package and its L3, between its lanes of six cores";
  const allotment uneven = place({{{9, 2}, {3, 1}}, 0, -1}, view);
  EXPECT_EQ(cost_of_places(uneven, view).lane_crossings, 0) << to_string(uneven, names_of(view));
  EXPECT_EQ(cost_of_places(uneven, view).crossings, 2) << "between its lanes of five and four";
}

TEST(placement, a_core_that_goes_from_one_to_another_takes_few_others_along) {
  system_view view = on_machine(4, topology::synthetic("package:2 core:12 pu:1"));
  view.current = place({{{6, 1}, {6, 1}, {6, 1}, {6, 1}}, 0, -1}, view);
  const allotment next = place({{{5, 1}, {7, 1}, {6, 1}, {6, 1}}, 0, -1}, view);
  EXPECT_EQ(cost_of_places(next, view).handed_over, 1);
  EXPECT_EQ(next.components[2], view.current.components[2]);
  EXPECT_EQ(next.components[3], view.current.components[3]);
  // One L3, and a core moves from the first to the last: the others need not shift, the last uses idle cores.
  view = on_machine(4, topology::synthetic("core:16 pu:1"));
  view.current = place({{{5, 1}, {4, 1}, {4, 1}, {1, 1}}, 0, -1}, view);
  EXPECT_EQ(cost_of_places(place({{{4, 1}, {4, 1}, {4, 1}, {2, 1}}, 0, -1}, view), view).handed_over, 1);
}

TEST(placement, who_exchanges_messages_is_a_neighbour_where_nothing_else_speaks_against_it) {
  system_view view = on_machine(4, topology::synthetic("core:8 pu:1"));
  const core_counts counts{{{2, 1}, {2, 1}, {2, 1}, {2, 1}}, 0, -1};
  EXPECT_EQ(place(counts, view).components[3].cores, core_set({6, 7}));
  // The stream goes 0, 2, 1, 3.
  view.links = {{-1, 0}, {0, 2}, {2, 1}, {1, 3}, {3, -1}};
  const allotment given = place(counts, view);
  EXPECT_EQ(given.components[2].cores, core_set({2, 3}));
  EXPECT_EQ(given.components[1].cores, core_set({4, 5}));
  EXPECT_EQ(cost_of_places(given, view).apart, 0);
}

TEST(placement, knows_a_hole_between_cores_for_the_caches_it_separates) {
  // The run may use three cores of the first L3 of four and two of the second.
  const system_view view = on_machine(2, topology::synthetic("l3:2 core:4 pu:1"), {0, 1, 3, 4, 7});
  const allotment given = place({{{2, 1}, {3, 1}}, 0, -1}, view);
  EXPECT_EQ(given.components[0].cores, core_set({4, 7}));
  EXPECT_EQ(given.components[1].cores, core_set({0, 1, 3}));
}

TEST(placement, without_a_machine_deals_in_order) {
  system_view view = three(8);
  view.machine = nullptr;
  EXPECT_EQ(to_string(place({{{3, 1}, {2, 1}, {3, 1}}, 0, -1}, view), {"a", "b", "c"}),
            "a 3 cores x 1 lane {0-2}, b 2 cores x 1 lane {3-4}, c 3 cores x 1 lane {5-7}");
}

// Any shape, of 1 to 4096 processing units and 1 to 4 per core; in every second case with a cpuset.
topology any_machine(std::mt19937& random) {
  const auto up_to = [&](unsigned most) { return std::uniform_int_distribution<unsigned>(1, most)(random); };
  const bool large = random() % 20 == 0;
  std::string text;
  unsigned units = 1;
  for (const char* level : {"package", "numa", "l3", "core", "pu"}) {
    const bool is_unit = level == std::string("pu");
    if (!is_unit && random() % 3 == 0) continue;
    const unsigned n = is_unit ? up_to(std::min(4u, 4096 / units)) : up_to(std::min(large ? 16u : 5u, 4096 / units));
    units *= n;
    text += std::string(text.empty() ? "" : " ") + level + ":" + std::to_string(n);
  }
  if (random() % 2) return topology::synthetic(text);
  std::vector<int> allowed;
  const unsigned kept = up_to(10);
  for (unsigned unit = 0; unit < units; ++unit)
    if (random() % 10 < kept) allowed.push_back(static_cast<int>(unit));
  if (allowed.empty()) allowed.push_back(static_cast<int>(random() % units));
  return topology::synthetic(text, allowed);
}

core_counts any_counts(std::mt19937& random, int components, int cores) {
  core_counts counts;
  int left = cores;
  bool members = false;
  for (int i = 0; i < components; ++i) {
    const int most = std::min(left, 1 + 2 * cores / components);
    const int given = static_cast<int>(random() % static_cast<unsigned>(most + 1));
    counts.components.push_back(
        {given, given == 0 ? 1 : 1 + static_cast<int>(random() % static_cast<unsigned>(given))});
    left -= given;
    members = members || given == 0;
  }
  if (members && left > 0)
    counts.shared = 1 + static_cast<int>(random() % static_cast<unsigned>(left));
  else if (members)
    counts.host = largest_owner(counts);
  return counts;
}

bool is_run_of(const core_set& some, const core_set& cores) {
  if (some.empty()) return true;
  const auto first = std::find(cores.begin(), cores.end(), some[0]);
  return cores.end() - first >= some.size() && std::equal(some.begin(), some.end(), first);
}

TEST(placement, on_any_machine_and_part_of_it_is_runs_as_counted_and_stays_when_the_counts_stay) {
  std::mt19937 random(3);
  for (int trial = 0; trial < testing::fewer(300); ++trial) {
    const int n = 1 + static_cast<int>(random() % (trial % 10 == 0 ? 100 : 8));
    system_view view = on_machine(n, any_machine(random));
    std::vector<int> leased;
    for (const int core : view.cores)
      if (random() % 8 != 0) leased.push_back(core);
    for (const bool all : {true, false}) {
      if (!all && !leased.empty()) view.cores = core_set(leased);
      for (int step = 0; step < 4; ++step) {
        const core_counts counts = any_counts(random, n, view.cores.size());
        const allotment given = place(counts, view);
        ASSERT_EQ(check(given, view.cores), "");
        ASSERT_EQ(place(counts, view), given) << "a pure function";
        for (std::size_t i = 0; i < given.components.size(); ++i) {
          ASSERT_EQ(given.components[i].cores.size(), counts.components[i].cores);
          ASSERT_EQ(given.components[i].width, counts.components[i].width);
          ASSERT_TRUE(is_run_of(given.components[i].cores, view.cores));
        }
        ASSERT_EQ(given.shared_host(), counts.host);
        if (counts.host >= 0)
          ASSERT_EQ(given.shared, core_set{given.components[static_cast<std::size_t>(counts.host)].cores[0]});
        else
          ASSERT_EQ(given.shared.size(), counts.shared);
        view.current = given;
        ASSERT_EQ(place(counts, view), given) << "the same counts must not move anybody";
      }
    }
  }
}

// The least total over all orders of the shares and all gaps between them, counted by cost_of_places.
long long least_total(const core_counts& counts, const system_view& view) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < counts.components.size(); ++i)
    if (counts.components[i].cores > 0) order.push_back(i);
  if (counts.shared > 0) order.push_back(counts.components.size());
  allotment given;
  given.components.resize(counts.components.size());
  for (std::size_t i = 0; i < given.components.size(); ++i) given.components[i].width = counts.components[i].width;
  long long least = 1 << 30;
  const auto lay = [&](auto& self, std::size_t k, int from) -> void {
    if (k == order.size()) {
      if (counts.host >= 0) given.shared = {given.components[static_cast<std::size_t>(counts.host)].cores[0]};
      least = std::min(least, cost_of_places(given, view).total());
      return;
    }
    const bool is_group = order[k] == counts.components.size();
    const int cores = is_group ? counts.shared : counts.components[order[k]].cores;
    for (int first = from; first + cores <= view.cores.size(); ++first) {
      const auto begin = view.cores.begin() + first;
      (is_group ? given.shared : given.components[order[k]].cores) = core_set(std::vector<int>(begin, begin + cores));
      self(self, k + 1, first + cores);
    }
  };
  do lay(lay, 0, 0);
  while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(placement, of_few_shares_costs_no_more_than_any_other_way_to_lay_them) {
  std::mt19937 random(4);
  const std::vector<topology> machines{
      topology::synthetic("package:2 l3:2 core:2 pu:1"), topology::synthetic("numa:3 core:3 pu:2"),
      topology::synthetic("package:2 numa:2 core:2 pu:1"), topology::synthetic("core:8 pu:1"),
      topology::synthetic("package:2 l3:2 core:3 pu:2", {0, 1, 2, 6, 7, 8, 11, 13, 20, 22, 23})};
  for (int trial = 0; trial < testing::fewer(150); ++trial) {
    system_view view = on_machine(3, machines[random() % machines.size()]);
    if (trial % 3 == 0) view.links = {{0, 2}, {2, 1}, {0, -1}};
    for (int step = 0; step < 3; ++step) {
      const core_counts counts = any_counts(random, 3, view.cores.size());
      const allotment given = place(counts, view);
      const long long least = least_total(counts, view);
      if (given == view.current)
        ASSERT_GE(cost_of_places(given, view).total(), least);
      else
        ASSERT_EQ(cost_of_places(given, view).total(), least) << trial;
      view.current = given;
    }
  }
}

}  // namespace
}  // namespace weir

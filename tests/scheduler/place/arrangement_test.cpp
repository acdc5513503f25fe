#include "scheduler/place/arrangement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

#include "scheduler/place/exact_runs.hpp"
#include "scheduler/place/placing_cost.hpp"

namespace weir {
namespace {

int number(std::mt19937& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

// Runs on a line of stretches of equal length: some new, some with their present places, linked as a chain.
line_problem drawn(std::mt19937& random, int runs, int most_idle) {
  line_problem problem;
  int slots = number(random, 0, most_idle);
  for (int i = 0; i < runs; ++i) {
    const int length = number(random, 1, 7);
    problem.runs.push_back({length, number(random, 1, length), {}, {}});
    slots += length;
    if (i > 0) problem.links.emplace_back(i - 1, i);
  }
  const int stretch = number(random, 3, 12);
  for (int slot = 0; slot < slots; ++slot) problem.steps.push_back(slot % stretch == 0 ? number(random, 1, 3) : 0);
  if (number(random, 0, 3) == 0) return problem;
  // The present places: runs of slightly other lengths, from left to right in another order.
  std::vector<std::size_t> before(problem.runs.size());
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = i;
  if (number(random, 0, 1)) std::shuffle(before.begin(), before.end(), random);
  int slot = 0;
  for (const std::size_t i : before) {
    line_run& run = problem.runs[i];
    const int length = std::min(std::max(run.length + number(random, -1, 1), 0), slots - slot);
    for (int k = 0; k < length; ++k) run.held.push_back(slot + k);
    if (length > 0 && number(random, 0, 1)) run.held_lanes.emplace_back(slot, length);
    slot += length;
  }
  return problem;
}

// Counts everything that a rule could get wrong. placement_test shows that run_costs counts the same as placing_cost.
int cost_of(const line_problem& problem, const std::vector<int>& firsts) {
  const run_costs costs(problem);
  int sum = 0;
  for (std::size_t i = 0; i < firsts.size(); ++i) sum += costs.at(static_cast<int>(i), firsts[i]);
  for (const auto& [a, b] : problem.links)
    for (const int other : firsts) {
      const auto [low, high] = std::minmax({firsts[static_cast<std::size_t>(a)], firsts[static_cast<std::size_t>(b)]});
      if (low < other && other < high) sum += placing_cost::apart_weight;
    }
  return sum;
}

bool are_disjoint(const line_problem& problem, const std::vector<int>& firsts) {
  std::vector<bool> taken(problem.steps.size());
  for (std::size_t i = 0; i < firsts.size(); ++i)
    for (int k = 0; k < problem.runs[i].length; ++k) {
      const int slot = firsts[i] + k;
      if (slot < 0 || slot >= problem.slots() || taken[static_cast<std::size_t>(slot)]) return false;
      taken[static_cast<std::size_t>(slot)] = true;
    }
  return true;
}

// The least cost over all orders and all ways to leave slots idle.
int least_cost(const line_problem& problem) {
  std::vector<int> order(problem.runs.size()), firsts(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  int least = 1 << 30;
  const auto lay = [&](auto& self, std::size_t k, int slot, int idle) -> void {
    if (k == order.size()) {
      least = std::min(least, cost_of(problem, firsts));
      return;
    }
    for (int skipped = 0; skipped <= idle; ++skipped) {
      firsts[static_cast<std::size_t>(order[k])] = slot + skipped;
      self(self, k + 1, slot + skipped + problem.length(order[k]), idle - skipped);
    }
  };
  do lay(lay, 0, 0, problem.idle());
  while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(arrangement, of_few_runs_is_the_cheapest_of_all_orders_and_gaps) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const line_problem problem = drawn(random, number(random, 1, 4), 4);
    const std::vector<int> firsts = arrange(problem);
    ASSERT_TRUE(are_disjoint(problem, firsts));
    ASSERT_EQ(cost_of(problem, firsts), least_cost(problem)) << trial;
  }
}

// A well placed machine of 4 L3s of 12 cores, almost all in use, on which three cores change hands.
line_problem slightly_changed(std::mt19937& random, int runs) {
  line_problem problem;
  for (int slot = 0; slot < 48; ++slot) problem.steps.push_back(slot > 0 && slot % 12 == 0 ? 2 : 0);
  for (int i = 0; i < runs; ++i) {
    problem.runs.push_back({1, 1, {}, {}});
    if (i > 0) problem.links.emplace_back(i - 1, i);
  }
  const auto any = [&]() -> line_run& { return problem.runs[static_cast<std::size_t>(number(random, 0, runs - 1))]; };
  for (int left = 48 - runs - number(random, 0, 2); left > 0; --left) ++any().length;
  const std::vector<int> firsts = arrange(problem);
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    line_run& run = problem.runs[i];
    for (int k = 0; k < run.length; ++k) run.held.push_back(firsts[i] + k);
    run.held_lanes.emplace_back(firsts[i], run.length);
  }
  for (int moved = 0; moved < 3; ++moved)
    if (line_run& giver = any(); giver.length > 1) --giver.length, ++any().length;
  return problem;
}

// An arrangement of the least possible cost.
std::vector<int> arrange_exactly(const line_problem& problem) {
  std::vector<int> all(problem.runs.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<run_links> links(all.size());
  for (const auto& [a, b] : problem.links) {
    links[static_cast<std::size_t>(a)].inside |= 1U << b;
    links[static_cast<std::size_t>(b)].inside |= 1U << a;
  }
  return lay_exactly(problem, run_costs(problem), all, links, 0, problem.idle());
}

struct gap {
  int trials = 0, optimal = 0;
  double sum = 0, least = 0;
  double part() const { return sum / least - 1; }
};

// The search's cost compared with the least cost.
gap gap_of(const std::vector<line_problem>& problems) {
  gap result;
  for (const line_problem& problem : problems) {
    const std::vector<int> firsts = arrange(problem);
    EXPECT_TRUE(are_disjoint(problem, firsts));
    const int cost = cost_of(problem, firsts), least = cost_of(problem, arrange_exactly(problem));
    EXPECT_GE(cost, least);
    result.sum += cost;
    result.least += least;
    result.optimal += cost == least;
    ++result.trials;
  }
  std::printf("search: optimal %d times in %d, %.2f %% above the least in sum\n", result.optimal, result.trials,
              result.part() * 100);
  return result;
}

TEST(arrangement, by_search_is_disjoint_and_close_to_the_cheapest) {
  std::mt19937 random(2);
  std::vector<line_problem> any, slight;
  for (int trial = 0; trial < 150; ++trial) any.push_back(drawn(random, number(random, 5, 11), 6));
  for (int trial = 0; trial < 100; ++trial) slight.push_back(slightly_changed(random, number(random, 11, 13)));
  const gap of_any = gap_of(any), of_slight = gap_of(slight);
  EXPECT_LE(of_any.part(), 0.02);
  EXPECT_LE(of_slight.part(), 0.04);
  EXPECT_GE(of_any.optimal, of_any.trials * 3 / 4);
  EXPECT_GE(of_slight.optimal, of_slight.trials * 3 / 4);
}

TEST(arrangement, without_a_reason_is_the_order_of_the_runs_from_the_left) {
  for (const int runs : {1, 3, 9, 40}) {
    line_problem problem;
    problem.steps.assign(static_cast<std::size_t>(3 * runs + 5), 0);
    std::vector<int> expected;
    for (int i = 0; i < runs; ++i) {
      problem.runs.push_back({3, 1, {}, {}});
      expected.push_back(3 * i);
    }
    EXPECT_EQ(arrange(problem), expected) << "without links";
    for (int i = 1; i < runs; ++i) problem.links.emplace_back(i - 1, i);
    EXPECT_EQ(arrange(problem), expected) << "as a chain";
  }
}

TEST(arrangement, of_many_runs_and_slots_is_disjoint_and_the_same_each_time) {
  std::mt19937 random(3);
  for (const int runs : {25, 100, 400}) {
    const line_problem problem = drawn(random, runs, 50);
    const std::vector<int> firsts = arrange(problem);
    ASSERT_TRUE(are_disjoint(problem, firsts));
    ASSERT_EQ(arrange(problem), firsts);
  }
}

}  // namespace
}  // namespace weir

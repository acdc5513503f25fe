#include "scheduler/arrangement.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "scheduler/placing_cost.hpp"

namespace weir {
namespace {

constexpr int impossible = std::numeric_limits<int>::max() / 2;

// Operations of arrange_exactly, each 2 ns: a third of a millisecond.
constexpr double exact_budget = 150e3;

}  // namespace

std::vector<int> arrange(const line_problem& problem) {
  const int n = static_cast<int>(problem.runs.size());
  const bool is_cheap = n <= 20 && std::ldexp(n * (problem.idle() + 1.0), n) <= exact_budget;
  return is_cheap ? arrange_exactly(problem) : arrange_by_search(problem);
}

std::vector<int> arrange_exactly(const line_problem& problem) {
  const int n = static_cast<int>(problem.runs.size());
  const run_costs costs(problem);
  const auto width = static_cast<std::size_t>(problem.idle()) + 1;
  const std::size_t sets = std::size_t{1} << n;
  std::vector<std::size_t> linked(static_cast<std::size_t>(n), 0);
  for (const auto& [a, b] : problem.links) {
    linked[static_cast<std::size_t>(a)] |= std::size_t{1} << b;
    linked[static_cast<std::size_t>(b)] |= std::size_t{1} << a;
  }
  struct state {
    int least = impossible;  // of these runs with so many idle slots among and before them, or fewer
    int idle = 0;            // how many then
    int last = -1;           // the rightmost run then
  };
  std::vector<state> states(sets * width);
  std::vector<int> used(sets, 0), cut(sets, 0);
  for (std::size_t e = 0; e < width; ++e) states[e] = {0, 0, -1};
  for (std::size_t set = 1; set < sets; ++set) {
    const int first = std::countr_zero(set);
    const std::size_t rest = set & (set - 1), others = linked[static_cast<std::size_t>(first)];
    used[set] = used[rest] + problem.length(first);
    cut[set] = cut[rest] + std::popcount(others) - 2 * std::popcount(others & rest);
    state* const row = &states[set * width];
    for (int run = 0; run < n; ++run) {
      if ((set >> run & 1) == 0) continue;
      const std::size_t left = set ^ (std::size_t{1} << run);
      for (std::size_t e = 0; e < width; ++e) {
        const int here = states[left * width + e].least + costs.at(run, used[left] + static_cast<int>(e));
        if (here <= row[e].least) row[e] = {here, static_cast<int>(e), run};
      }
    }
    for (std::size_t e = 0; e < width; ++e) {
      row[e].least += placing_cost::apart_weight * cut[set];
      if (e > 0 && row[e - 1].least <= row[e].least) row[e] = row[e - 1];
    }
  }
  std::vector<int> firsts(static_cast<std::size_t>(n));
  std::size_t e = width - 1;
  for (std::size_t set = sets - 1; set != 0;) {
    const state& s = states[set * width + e];
    set ^= std::size_t{1} << s.last;
    e = static_cast<std::size_t>(s.idle);
    firsts[static_cast<std::size_t>(s.last)] = used[set] + s.idle;
  }
  return firsts;
}

}  // namespace weir

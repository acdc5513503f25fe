#include "scheduler/place/arrangement.hpp"

#include <cmath>
#include <numeric>

#include "scheduler/place/exact_runs.hpp"

namespace weir {
namespace {

// Operations of arrange_exactly, 2 ns each: a third of a millisecond in all.
constexpr double exact_budget = 150e3;

}  // namespace

std::vector<int> arrange(const line_problem& problem) {
  const int n = static_cast<int>(problem.runs.size());
  const bool is_cheap = n <= 20 && std::ldexp(n * (problem.idle() + 1.0), n) <= exact_budget;
  return is_cheap ? arrange_exactly(problem) : arrange_by_search(problem);
}

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

}  // namespace weir

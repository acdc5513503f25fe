#include "scheduler/place/exact_runs.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "scheduler/place/placing_cost.hpp"

namespace weir {
namespace {

using set = std::uint32_t;  // bit k: runs[k]

}  // namespace

std::vector<int> lay_exactly(const line_problem& problem, const run_costs& costs, const std::vector<int>& runs,
                             const std::vector<run_links>& links, int first, int idle) {
  struct state {
    int least = impossible;  // cost of these runs with at most so many idle slots among and before them
    int idle = 0;            // the number of idle slots then
    int last = -1;           // the rightmost run then, by its place in `runs`
  };
  const int n = static_cast<int>(runs.size());
  const auto width = static_cast<std::size_t>(idle) + 1;
  const std::size_t sets = std::size_t{1} << n;
  std::vector<state> states(sets * width);
  std::vector<int> used(sets, 0), cut(sets, 0);
  for (std::size_t e = 0; e < width; ++e) states[e] = {0, 0, -1};
  for (std::size_t left = 1; left < sets; ++left) {
    const auto lowest = static_cast<std::size_t>(std::countr_zero(left));
    const std::size_t rest = left & (left - 1);
    used[left] = used[rest] + problem.length(runs[lowest]);
    const auto [inside, outside] = links[lowest];
    cut[left] = cut[rest] + outside + std::popcount(inside) - 2 * std::popcount(inside & static_cast<set>(rest));
    state* const row = &states[left * width];
    for (int k = 0; k < n; ++k) {
      if ((left >> k & 1) == 0) continue;
      const std::size_t others = left ^ (std::size_t{1} << k);
      const int run = runs[static_cast<std::size_t>(k)];
      for (std::size_t e = 0; e < width; ++e) {
        const int here = states[others * width + e].least + costs.at(run, first + used[others] + static_cast<int>(e));
        if (here <= row[e].least) row[e] = {here, static_cast<int>(e), k};
      }
    }
    for (std::size_t e = 0; e < width; ++e) {
      row[e].least += placing_cost::apart_weight * cut[left];
      if (e > 0 && row[e - 1].least <= row[e].least) row[e] = row[e - 1];
    }
  }
  std::vector<int> firsts(static_cast<std::size_t>(n));
  std::size_t e = width - 1;
  for (std::size_t left = sets - 1; left != 0;) {
    const state& s = states[left * width + e];
    left ^= std::size_t{1} << s.last;
    e = static_cast<std::size_t>(s.idle);
    firsts[static_cast<std::size_t>(s.last)] = first + used[left] + s.idle;
  }
  return firsts;
}

}  // namespace weir

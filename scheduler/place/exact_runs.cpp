#include "scheduler/place/exact_runs.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "scheduler/place/placing_cost.hpp"

namespace weir {
namespace {

using set = std::uint32_t;  // bit k: runs[k]

// The same as lay_exactly(), with the cost of runs[k] at `first` + offset as cost(k, offset).
template <typename Cost>
std::vector<int> lay(const line_problem& problem, const std::vector<int>& runs, const std::vector<run_links>& links,
                     int first, int idle, Cost cost) {
  struct state {
    int least = impossible;  // cost of these runs with at most this number of idle slots among and before them
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
    cut[left] = cut[rest] + links[lowest].outside;
    for (set linked = links[lowest].inside; linked != 0; linked &= linked - 1)
      cut[left] += (rest >> std::countr_zero(linked) & 1) != 0 ? -1 : 1;
    state* const row = &states[left * width];
    for (std::size_t e = 0; e < width; ++e) {
      state best;
      for (std::size_t some = left; some != 0; some &= some - 1) {
        const int k = std::countr_zero(some);
        const std::size_t others = left ^ (std::size_t{1} << k);
        const int here = states[others * width + e].least + cost(k, used[others] + static_cast<int>(e));
        const bool is_better = here <= best.least;
        best.least = is_better ? here : best.least;
        best.last = is_better ? k : best.last;
      }
      best.idle = static_cast<int>(e);
      best.least += placing_cost::apart_weight * cut[left];
      row[e] = e > 0 && row[e - 1].least <= best.least ? row[e - 1] : best;
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

}  // namespace

std::vector<int> lay_exactly(const line_problem& problem, const run_costs& costs, const std::vector<int>& runs,
                             const std::vector<run_links>& links, int first, int idle) {
  // A cost is asked for n 2^(n - 1) times. Where there are far fewer places than that, each is found once.
  const std::size_t n = runs.size();
  int places = idle + 1;
  for (const int run : runs) places += problem.length(run);
  const auto width = static_cast<std::size_t>(places);
  if (4 * width >= (std::size_t{1} << n) * (static_cast<std::size_t>(idle) + 1))
    return lay(problem, runs, links, first, idle,
               [&](int k, int offset) { return costs.at(runs[static_cast<std::size_t>(k)], first + offset); });
  std::vector<int> all(n * width);
  for (std::size_t k = 0; k < n; ++k)
    for (int offset = 0; offset < places - problem.length(runs[k]); ++offset)
      all[k * width + static_cast<std::size_t>(offset)] = costs.at(runs[k], first + offset);
  return lay(problem, runs, links, first, idle, [&](int k, int offset) {
    return all[static_cast<std::size_t>(k) * width + static_cast<std::size_t>(offset)];
  });
}

}  // namespace weir

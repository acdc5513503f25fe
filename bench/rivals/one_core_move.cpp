#include "bench/rivals/one_core_move.hpp"

#include <algorithm>
#include <limits>

#include "bench/rivals/core_dealing.hpp"

namespace weir::rivals {
namespace {

struct holder {
  int who = 0;  // a component, or one_core_move::group
  double load = 0;
  int cores = 0;
  core_bounds bounds;
};

std::vector<holder> holders_of(const core_counts& counts, const system_view& view, const std::vector<double>& load) {
  std::vector<holder> holders;
  holder group{one_core_move::group, 0, counts.shared, {1, 0}};
  for (std::size_t i = 0; i < load.size(); ++i) {
    if (const int cores = counts.components[i].cores; cores > 0) {
      holders.push_back({static_cast<int>(i), load[i], cores, bounds_of(view.components[i], view.cores.size())});
    } else {
      group.load += load[i];
      ++group.bounds.upper;
    }
  }
  for (holder& h : holders)
    if (h.who == counts.host) h.load += group.load;
  if (counts.shared > 0) holders.push_back(group);
  return holders;
}

}  // namespace

std::optional<one_core_move> next_move(const core_counts& counts, const system_view& view,
                                       const std::vector<double>& load, const std::vector<one_core_move>& refused) {
  const std::vector<holder> holders = holders_of(counts, view, load);
  if (holders.empty()) return std::nullopt;
  const auto seconds = [](const holder& h) { return h.load / h.cores; };
  const holder& slowest = *std::max_element(holders.begin(), holders.end(),
                                            [&](const holder& a, const holder& b) { return seconds(a) < seconds(b); });
  if (slowest.cores >= slowest.bounds.upper) return std::nullopt;
  const auto is_refused = [&](const one_core_move& m) {
    return std::find(refused.begin(), refused.end(), m) != refused.end();
  };
  int left = view.cores.size();
  for (const holder& h : holders) left -= h.cores;
  if (const one_core_move m{one_core_move::idle, slowest.who}; left > 0 && !is_refused(m)) return m;
  std::optional<one_core_move> best;
  double least = seconds(slowest);
  for (const holder& h : holders) {
    const one_core_move m{h.who, slowest.who};
    if (h.who == slowest.who || h.cores <= h.bounds.lower || is_refused(m)) continue;
    if (const double then = h.load / (h.cores - 1); then < least) least = then, best = m;
  }
  return best;
}

core_counts after(const one_core_move& move, core_counts counts, const system_view& view) {
  const auto cores_of = [&](int who) -> int& {
    return who == one_core_move::group ? counts.shared : counts.components[static_cast<std::size_t>(who)].cores;
  };
  if (move.giver != one_core_move::idle) --cores_of(move.giver);
  ++cores_of(move.receiver);
  return completed(std::move(counts), view);
}

}  // namespace weir::rivals

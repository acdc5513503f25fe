#include "bench/rivals/reservation.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "bench/rivals/core_dealing.hpp"

namespace weir::rivals {
namespace {

constexpr double reserved_part = 0.5, grows_from = 1.75, shrinks_below = 0.5;  // of Ray, by default

// Tasks of a component, running and queued, for each of its lanes.
double tasks_per_lane(const component_view& c, int lanes) {
  const double seconds = c.recent.empty() ? 0 : c.recent.back().seconds;
  const double running = std::min<double>(lanes, c.arrival_rate * seconds);
  return (running + static_cast<double>(c.queue_length)) / lanes;
}

}  // namespace

allotment reservation::decide(const system_view& view) const {
  const int cores = view.cores.size();
  std::vector<std::size_t> owners;
  int least = 0;
  core_counts counts;
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    const component_view& c = view.components[i];
    counts.components.push_back({c.runs_inline ? 0 : bounds_of(c, cores).lower, 1});
    least += counts.components.back().cores;
    if (!c.runs_inline) owners.push_back(i);
  }
  if (owners.empty() || least > cores) return place(equal_start(view), view);
  if (view.current.components.empty()) return place(completed(std::move(counts), view), view);

  counts = present_counts(view);
  const auto cores_of = [&](std::size_t i) -> int& { return counts.components[i].cores; };
  const int reserved = std::max(1, static_cast<int>(reserved_part * cores / static_cast<double>(owners.size())));
  int idle = cores, shared = cores - reserved * static_cast<int>(owners.size());
  for (const std::size_t i : owners) {
    idle -= cores_of(i);
    shared -= std::max(0, cores_of(i) - reserved);
  }
  for (std::size_t k = owners.size(); k-- > 0;) {
    const std::size_t i = owners[k];
    const component_view& c = view.components[i];
    const core_bounds may = bounds_of(c, cores);
    const double tasks = tasks_per_lane(c, lanes_of(c, std::max(1, cores_of(i))));
    const bool from_shared = cores_of(i) >= reserved;
    const int part = shared / static_cast<int>(k + 1);
    if (tasks >= grows_from && cores_of(i) < may.upper && idle > 0 && (!from_shared || part >= 1)) {
      ++cores_of(i);
      --idle;
      shared -= from_shared;
    } else if (tasks < shrinks_below && cores_of(i) > may.lower) {
      --cores_of(i);
    }
  }
  return place(completed(std::move(counts), view), view);
}

}  // namespace weir::rivals

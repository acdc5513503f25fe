#include "scheduler/place/kind_placement.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <weir/scheduler/place/placement.hpp>
#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

core_set of_kind(const core_set& cores, int kind, const topology& machine) {
  std::vector<int> some;
  for (const int core : cores)
    if (machine[core].kind == kind) some.push_back(core);
  return core_set(std::move(some));
}

// Cores before the end of each of the first lanes.
std::vector<int> lane_ends(int cores, int width) {
  std::vector<int> ends{0};
  for (int l = 0; l < width; ++l) ends.push_back(ends.back() + cores / width + (l < cores % width ? 1 : 0));
  return ends;
}

bool has_lane_across(std::size_t i, const core_counts& counts, const std::vector<core_counts>& of_kinds) {
  const auto [cores, width] = counts.components[i];
  const std::vector<int> ends = lane_ends(cores, width);
  int before = 0;
  return std::ranges::any_of(of_kinds, [&](const core_counts& on) {
    before += on.components[i].cores;
    return std::ranges::find(ends, before) == ends.end();
  });
}

bool is_in_force(const core_counts& counts, const std::vector<core_counts>& of_kinds, const system_view& view) {
  const allotment& now = view.current;
  if (now.components.size() != counts.components.size()) return false;
  const auto has = [&](const core_set& cores, int kind) {
    return of_kind(cores & view.cores, kind, *view.machine).size();
  };
  for (std::size_t i = 0; i < counts.components.size(); ++i) {
    const share& own = now.components[i];
    if (own.outside) continue;
    if (own.cores.size() != counts.components[i].cores) return false;
    if (!own.cores.empty() && own.width != counts.components[i].width) return false;
    for (std::size_t k = 0; k < of_kinds.size(); ++k)
      if (has(own.cores, static_cast<int>(k)) != of_kinds[k].components[i].cores) return false;
  }
  const bool is_hosted = now.shared_host() >= 0;
  if (is_hosted || now.shared.empty()) return counts.shared == 0 && now.shared_host() == counts.host;
  for (std::size_t k = 0; k < of_kinds.size(); ++k)
    if (has(now.shared, static_cast<int>(k)) != of_kinds[k].shared) return false;
  return now.shared.size() == counts.shared;
}

// The problem of one kind: owners of its cores alone, by their numbers in `owners`.
allotment place_on(const core_set& cores, const core_counts& on, const std::vector<std::size_t>& owners,
                   const system_view& view) {
  system_view part;
  part.machine = view.machine;
  part.cores = cores;
  part.components.resize(owners.size());
  core_counts counts{{}, on.shared, -1};
  for (const std::size_t i : owners) {
    counts.components.push_back(on.components[i]);
    if (i >= view.current.components.size()) continue;
    const share& before = view.current.components[i];
    const core_set held = before.cores & cores;
    const int lanes = before.width == before.cores.size() ? held.size() : std::min(before.width, held.size());
    part.current.components.push_back({held, std::max(1, lanes)});
  }
  if (view.current.shared_host() < 0) part.current.shared = view.current.shared & cores;
  return place(counts, part);
}

}  // namespace

allotment place_by_kind(const core_counts& counts, const std::vector<core_counts>& of_kinds, const system_view& view) {
  if (is_in_force(counts, of_kinds, view)) return view.current;
  allotment result;
  result.components.resize(counts.components.size());
  std::vector<std::size_t> across;
  for (std::size_t i = 0; i < counts.components.size(); ++i) {
    if (is_outside(view.components[i]))
      result.components[i] = {{}, view.components[i].blocking, true};
    else if (counts.components[i].cores > 0) {
      result.components[i].width = counts.components[i].width;
      if (has_lane_across(i, counts, of_kinds)) across.push_back(i);
    }
  }
  for (std::size_t k = 0; k < of_kinds.size(); ++k) {
    core_set left = of_kind(view.cores, static_cast<int>(k), *view.machine);
    for (const std::size_t i : across) {
      const int some = of_kinds[k].components[i].cores;
      const core_set own = left.part(k == 0 ? left.size() - some : 0, some);
      result.components[i].cores = result.components[i].cores | own;
      left = left - own;
    }
    std::vector<std::size_t> owners;
    for (std::size_t i = 0; i < counts.components.size(); ++i)
      if (of_kinds[k].components[i].cores > 0 && std::ranges::find(across, i) == across.end()) owners.push_back(i);
    if (owners.empty() && of_kinds[k].shared == 0) continue;
    const allotment placed = place_on(left, of_kinds[k], owners, view);
    for (std::size_t o = 0; o < owners.size(); ++o) {
      core_set& cores = result.components[owners[o]].cores;
      cores = cores | placed.components[o].cores;
    }
    result.shared = result.shared | placed.shared;
  }
  if (counts.shared == 0 && counts.host >= 0) result.shared = {result.components[to_index(counts.host)].cores[0]};
  return result;
}

}  // namespace weir

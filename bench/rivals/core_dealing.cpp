#include "bench/rivals/core_dealing.hpp"

#include <algorithm>
#include <numeric>

#include <weir/scheduler/policies/equal_shares.hpp>

namespace weir::rivals {
namespace {

int owned(const core_counts& counts) {
  int sum = 0;
  for (const core_counts::entry& e : counts.components) sum += e.cores;
  return sum;
}

system_view without_inline(const system_view& view) {
  system_view others = view;
  std::erase_if(others.components, [](const component_view& c) { return c.runs_inline; });
  return others;
}

bool is_in_force(const system_view& view) {
  const allotment& now = view.current;
  if (now.components.size() != view.components.size() || !check(now, view.cores).empty()) return false;
  for (std::size_t i = 0; i < now.components.size(); ++i) {
    const core_bounds b = bounds_of(view.components[i], view.cores.size());
    const int cores = now.components[i].cores.size();
    if (cores == 0 ? b.lower >= 2 && !view.components[i].runs_inline : cores < b.lower || cores > b.upper) return false;
  }
  return true;
}

}  // namespace

core_bounds bounds_of(const component_view& component, int cores) {
  const int most = component.sequential ? std::min(component.max_cores, component.max_width) : component.max_cores;
  return {component.min_cores, std::max(component.min_cores, std::min(most, cores))};
}

int lanes_of(const component_view& component, int cores) { return std::clamp(cores, 1, component.max_width); }

core_counts completed(core_counts counts, const system_view& view) {
  for (std::size_t i = 0; i < view.components.size(); ++i)
    counts.components[i].width = lanes_of(view.components[i], counts.components[i].cores);
  const bool has_members = std::any_of(counts.components.begin(), counts.components.end(),
                                       [](const core_counts::entry& e) { return e.cores == 0; });
  if (!has_members) {
    counts.shared = 0;
    counts.host = -1;
  } else if (counts.shared == 0) {
    counts.shared = owned(counts) < view.cores.size() ? 1 : 0;
    counts.host = counts.shared == 0 ? largest_owner(counts) : -1;
  }
  return counts;
}

std::vector<bool> members_of_group(const system_view& view, const std::vector<double>& load) {
  const std::size_t n = view.components.size();
  std::vector<bool> shares(n);
  std::vector<std::size_t> order;
  long long needed = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const component_view& c = view.components[i];
    shares[i] = c.runs_inline;
    if (!shares[i]) needed += c.min_cores;
    if (!shares[i] && c.min_cores < 2) order.push_back(i);
  }
  if (needed <= view.cores.size()) return shares;
  require_minima(without_inline(view));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return load[a] < load[b]; });
  for (const std::size_t i : order) {
    if (needed < view.cores.size()) break;
    shares[i] = true;
    needed -= view.components[i].min_cores;
  }
  return shares;
}

core_counts equal_start(const system_view& view) {
  const core_counts some = equal_counts(without_inline(view));
  core_counts all{{}, some.shared, -1};
  auto next = some.components.begin();
  for (const component_view& c : view.components)
    all.components.push_back(c.runs_inline ? core_counts::entry{} : *next++);
  return completed(std::move(all), view);
}

core_counts present_counts(const system_view& view) {
  if (!is_in_force(view)) return equal_start(view);
  core_counts counts;
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    const component_view& c = view.components[i];
    const int cores = view.current.components[i].cores.size();
    counts.components.push_back({c.runs_inline ? 0 : cores, 1});
  }
  if (view.current.shared_host() < 0) counts.shared = view.current.shared.size();
  return completed(std::move(counts), view);
}

}  // namespace weir::rivals

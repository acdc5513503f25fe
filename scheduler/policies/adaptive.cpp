#include "scheduler/policies/adaptive.hpp"

#include <algorithm>

#include "scheduler/divide/latency.hpp"
#include "scheduler/expect/blocking.hpp"
#include "scheduler/expect/latency_cost.hpp"
#include "scheduler/place/placement.hpp"
#include "scheduler/policies/equal_shares.hpp"

namespace weir {
namespace {

// The counts for components that do not run inline, then the others as members of the shared group.
core_counts counts_beside_inline(const system_view& view, const throughput_options& options) {
  const auto is_inline = [](const component_view& c) { return c.runs_inline && !is_outside(c); };
  if (std::none_of(view.components.begin(), view.components.end(), is_inline)) return throughput_counts(view, options);
  system_view others = view;
  std::erase_if(others.components, is_inline);
  const core_counts some = throughput_counts(others, options);
  core_counts all{{}, some.shared, -1};
  auto next = some.components.begin();
  for (const component_view& c : view.components)
    all.components.push_back(is_inline(c) ? core_counts::entry{} : *next++);
  const auto owned = [&] {
    int sum = 0;
    for (const core_counts::entry& e : all.components) sum += e.cores;
    return sum;
  };
  // Inline components still need a place for the time before records are delivered to them: idle cores, else a host.
  if (some.host >= 0 || all.shared == 0) {
    const auto outside = std::count_if(view.components.begin(), view.components.end(), is_outside);
    const int most = static_cast<int>(view.components.size()) - static_cast<int>(outside);
    all.shared = std::max(0, std::min(view.cores.size() - owned(), most));
    if (all.shared == 0) all.host = largest_owner(all);
  }
  return all;
}

}  // namespace

adaptive::adaptive(objective goal, throughput_options options) : goal_(goal), options_(options) { options_.validate(); }

allotment adaptive::decide(const system_view& view) const {
  if (!all_observed(view)) return place(equal_counts(view), view);
  return place(goal_.is_latency() ? latency_counts(view, goal_.rate(), options_) : counts_beside_inline(view, options_),
               view);
}

assessment adaptive::assess(const system_view& view, const allotment& given) const {
  std::vector<component_times> times = times_of(view);
  const core_counts counts = counts_of(given);
  assessment result = by_bottleneck(expected_times(counts, times));
  if (goal_.is_latency()) {
    const flow now = expected_flow(view, counts, goal_.rate(), record_paths(view), times);
    result.cost = latency_cost(view, now, goal_.rate(), times);
    // An allotment that cannot keep up has a bottleneck, not a latency.
    if (goal_.rate() <= busiest * now.throughput) result.critical = now.longest;
  } else if (options_.blocking) {
    result.cost = cost_with_blocking(counts, times);
  }
  return result;
}

}  // namespace weir

#include "scheduler/adaptive.hpp"

#include <algorithm>

#include "scheduler/equal_shares.hpp"
#include "scheduler/placement.hpp"

namespace weir {
namespace {

// The counts for those that do not run inline, then the others as members of the shared group.
core_counts counts_beside_inline(const system_view& view, const throughput_options& options) {
  system_view others = view;
  std::erase_if(others.components, [](const component_view& c) { return c.runs_inline; });
  if (others.components.size() == view.components.size()) return throughput_counts(view, options);
  const core_counts some = throughput_counts(others, options);
  core_counts all{{}, some.shared, -1};
  auto next = some.components.begin();
  for (const component_view& c : view.components)
    all.components.push_back(c.runs_inline ? core_counts::entry{} : *next++);
  const auto owned = [&] {
    int sum = 0;
    for (const core_counts::entry& e : all.components) sum += e.cores;
    return sum;
  };
  // The inline ones still need a home, for what they do before anybody delivers to them: what is left, else a host.
  if (some.host >= 0 || all.shared == 0) {
    all.shared = std::max(0, std::min(view.cores.size() - owned(), static_cast<int>(view.components.size())));
    if (all.shared == 0) all.host = largest_owner(all);
  }
  return all;
}

}  // namespace

std::string objective::name() const { return "throughput"; }

adaptive::adaptive(objective goal, throughput_options options) : goal_(goal), options_(options) { options_.validate(); }

allotment adaptive::decide(const system_view& view) const {
  return place(all_observed(view) ? counts_beside_inline(view, options_) : equal_counts(view), view);
}

}  // namespace weir

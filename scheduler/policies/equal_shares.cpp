#include <weir/scheduler/policies/equal_shares.hpp>

#include <algorithm>
#include <stdexcept>

namespace weir {
namespace {

// Deals `cores` one by one, each to the component with the fewest cores among those allowed one more.
void deal(int cores, const system_view& view, core_counts& counts) {
  for (; cores > 0; --cores) {
    core_counts::entry* least = nullptr;
    for (std::size_t i = 0; i < view.components.size(); ++i) {
      const component_view& c = view.components[i];
      if (is_outside(c)) continue;
      const int most = c.sequential ? std::min(c.max_cores, c.max_width) : c.max_cores;
      core_counts::entry& e = counts.components[i];
      if (e.cores < most && (least == nullptr || e.cores < least->cores)) least = &e;
    }
    if (least == nullptr) return;
    ++least->cores;
  }
}

}  // namespace

core_counts equal_counts(const system_view& view) {
  const int present = view.cores.size();
  core_counts counts;
  counts.components.resize(view.components.size());
  long long all = 0;
  int demanding = 0;
  for (const component_view& c : view.components) {
    if (!is_outside(c)) all += c.min_cores;
  }
  if (all > present) require_minima(view);
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    const component_view& c = view.components[i];
    if (is_outside(c) || (all > present && c.min_cores < 2)) continue;
    counts.components[i].cores = c.min_cores;
    demanding += c.min_cores;
  }
  if (all <= present) {
    deal(present - demanding, view, counts);
  } else if (demanding < all) {
    counts.shared = present - demanding;
    if (counts.shared == 0) counts.host = largest_owner(counts);
  }
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    const component_view& c = view.components[i];
    core_counts::entry& e = counts.components[i];
    if (c.sequential && !is_outside(c)) e.width = std::clamp(e.cores, 1, c.max_width);
  }
  return counts;
}

allotment equal_shares::decide(const system_view& view) const { return place(equal_counts(view), view); }

}  // namespace weir

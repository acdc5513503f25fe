#pragma once

#include <vector>

#include <weir/scheduler/view/system_view.hpp>

namespace [[gnu::visibility("default")]] weir {

// An allotment as numbers of cores, before it is known which cores. Rules decide these; place() turns them into core
// sets. Plain data, by component index.
struct core_counts {
  // The share of one component: cores of its own and lanes, 1 <= width <= cores if it has any.
  struct entry {
    int cores = 0;  // 0: member of the shared group, or outside the cores as the view says
    int width = 1;  // lanes
    bool operator==(const entry&) const = default;
  };
  std::vector<entry> components;
  int shared = 0;  // cores that the shared group has of its own
  int host = -1;   // without own cores: the owner whose first core the group lies on, or -1

  int cores_used() const;  // the owners' and the shared group's
  bool operator==(const core_counts&) const = default;
};

// Bounds on the cores of one of the items that share them, both inclusive.
struct core_bounds {
  int lower = 1;  // at least
  int upper = 1;  // at most
};

// The owner with the most cores (the first of several), or -1 when no component owns any. It is the default host.
int largest_owner(const core_counts& counts);

// Throws std::invalid_argument when some components together ask for more cores than there are. Only components that
// ask for two or more are counted, since others can be members of the shared group. Components outside the cores ask
// for none. The message lists the components.
void require_minima(const system_view& view);

}  // namespace weir

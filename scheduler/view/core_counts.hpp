#pragma once

#include <vector>

#include "scheduler/view/system_view.hpp"

namespace [[gnu::visibility("default")]] weir {

// An allotment before anybody said which cores: numbers only. Rules decide these; place() makes core sets of them.
struct core_counts {
  struct entry {
    int cores = 0;  // 0: member of the shared group, or outside the cores as the view says
    int width = 1;
    bool operator==(const entry&) const = default;
  };
  std::vector<entry> components;
  int shared = 0;  // cores of the shared group's own
  int host = -1;   // the owner on whose first core the shared group lies when it has none of its own, or -1
  bool operator==(const core_counts&) const = default;
};

// Bounds on the cores of one of the items that share them.
struct core_bounds {
  int lower = 1;
  int upper = 1;
};

// The owner with the most cores (the first of several), or -1 when nobody owns any: the default host.
int largest_owner(const core_counts& counts);

// Throws std::invalid_argument when the components that ask for two or more cores, and so cannot be members of the
// shared group, ask for more than there are; the message lists them. What runs outside the cores asks for none.
void require_minima(const system_view& view);

}  // namespace weir

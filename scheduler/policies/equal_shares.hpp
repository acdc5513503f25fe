#pragma once

#include <string>

#include "scheduler/place/placement.hpp"
#include "scheduler/policies/policy.hpp"

namespace [[gnu::visibility("default")]] weir {

// Floor or ceil(P/n) cores for each of n components on P cores, one lane each: what one would do who knows nothing. A
// value.
//
// What runs outside the cores (`.blocking(max)`) is none of the n and gets nothing. A component's bounds hold; what one
// may not take goes to the others. A sequential component runs as many lanes as it
// has cores, since one invocation cannot use a second core. When there are fewer cores than components ask for at
// least, only those that ask for two or more own any, and all others are the shared group on the rest.
class equal_shares : public allocation_rule {
 public:
  std::string name() const override { return "equal shares"; }

  // Throws std::invalid_argument when the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;
};

// The numbers behind equal_shares::decide, which other rules start from.
core_counts equal_counts(const system_view& view);

}  // namespace weir

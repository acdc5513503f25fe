#pragma once

#include <string>

#include <weir/scheduler/place/placement.hpp>
#include <weir/scheduler/policies/policy.hpp>

namespace [[gnu::visibility("default")]] weir {

// Gives floor or ceil(P/n) cores to each of n components on P cores, in one lane each. It is the choice without any
// knowledge. A value.
//
// A component outside the cores (`.blocking(max)`) is not among the n and gets nothing. A component's bounds hold;
// cores that one may not take go to the others. A sequential component runs as many lanes as it has cores, up to its
// box's limit, since one invocation cannot use a second core.
//
// When there are fewer cores than the components need at least, only components that ask for two or more cores own any.
// All others are the shared group, on the remaining cores.
class equal_shares : public allocation_rule {
 public:
  std::string name() const override { return "equal shares"; }

  // Throws std::invalid_argument when the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;
};

// The numbers behind equal_shares::decide, which other rules start from.
core_counts equal_counts(const system_view& view);

}  // namespace weir

#include "scheduler/policies/policy.hpp"

#include "scheduler/expect/expectation.hpp"

namespace weir {

double allocation_rule::cost(const system_view& view, const allotment& given) const {
  return expected_times(view, given).bottleneck;
}

int allocation_rule::critical(const system_view& view, const allotment& given) const {
  return expected_times(view, given).slowest;
}

}  // namespace weir

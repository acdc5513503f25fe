#include "scheduler/policies/policy.hpp"

#include "scheduler/expect/expectation.hpp"

namespace weir {

assessment by_bottleneck(const expectation& expected) {
  return {expected.bottleneck, expected.slowest, expected.seconds, expected.shared, expected.bottleneck};
}

assessment allocation_rule::assess(const system_view& view, const allotment& given) const {
  return by_bottleneck(expected_times(view, given));
}

}  // namespace weir

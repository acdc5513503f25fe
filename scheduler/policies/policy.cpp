#include <weir/scheduler/policies/policy.hpp>

#include "scheduler/expect/expectation.hpp"

namespace weir {

assessment by_bottleneck(const expectation& expected) {
  return {.cost = expected.bottleneck,
          .critical = expected.slowest,
          .heaviest = expected.heaviest,
          .seconds = expected.seconds,
          .shared = expected.shared,
          .bottleneck = expected.bottleneck};
}

assessment allocation_rule::assess(const system_view& view, const allotment& given) const {
  return by_bottleneck(expected_times(view, given));
}

}  // namespace weir

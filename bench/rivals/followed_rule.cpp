#include "bench/rivals/followed_rule.hpp"

namespace weir::rivals {

assessment followed_rule::assess(const system_view& view, const allotment& given) const {
  assessment result = allocation_rule::assess(view, given);
  result.cost = given == decide(view) ? 1 : 2;
  return result;
}

}  // namespace weir::rivals

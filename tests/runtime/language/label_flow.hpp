#pragma once

#include <set>

#include "tests/runtime/language/plan.hpp"

// Which labels records have at which place of a plan, if they have these at its input: what the makers of plans go by,
// so that what they draw fits. Not a judge of types; that is the runtime's inference, and it is asked as well.
namespace weir::testing::language {

using types = std::set<label_set>;

struct does_not_fit {};

types flow(const plan& p, const types& in);         // throws does_not_fit, for too many types as well
int route(const plan& choice, const label_set& v);  // the number of the branch that takes it, or -1

}  // namespace weir::testing::language

#pragma once

#include <set>

#include "tests/runtime/language/plan.hpp"

// The labels of records at each place of a plan, given those at its input. The makers of plans use it so that the drawn
// parts fit. It does not decide types; that is the runtime's inference, which is asked as well.
namespace weir::testing::language {

using types = std::set<label_set>;

struct does_not_fit {};

types flow(const plan& p, const types& in);         // throws does_not_fit, also for too many types
int route(const plan& choice, const label_set& v);  // the index of the branch that takes it, or -1

}  // namespace weir::testing::language

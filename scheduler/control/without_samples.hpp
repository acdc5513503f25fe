#pragma once

#include "scheduler/policies/policy.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// A copy of a view, to be changed and shown to this rule alone: without the invocations that the rule does not read.
system_view without_samples(const system_view& view, const policy& rule);

}  // namespace weir

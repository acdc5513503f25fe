#pragma once

#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// The policy of a controller, in two copies. Each keeps intermediate results of a view for the next one
// (policy::keeping), so one caller at a time. Both may be the same policy.
struct assessor {
  policy here;   // is asked about the view of a step
  policy aside;  // is asked about views with other times or inputs, so that `here` keeps its working of the step's view
};

// A copy of a view, to be changed and shown to this rule alone: without the invocations that the rule does not read.
system_view without_samples(const system_view& view, const policy& rule);

}  // namespace weir

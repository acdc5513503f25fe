#pragma once

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// Whether an allotment leaves no core idle while a record waits anywhere. All components on cores share all cores,
// which are of one kind, and none of them is kept near its rate by the lanes of its box. No other allotment gives a
// higher throughput then, unless an invocation takes less core time on several cores, or for several records together.
// By the models of the view: where one of them expects that of two cores, or a box takes several records, the answer is
// no.
bool is_work_conserving(const system_view& view, const allotment& given);

}  // namespace weir

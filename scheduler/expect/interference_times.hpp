#pragma once

#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// Components that slow each other down (system_view::interference). Rules and expectations see only
// component_view::time_factor: by the functions here it stands for the pressure under an allotment.

// By component: how many times as long as alone an invocation takes under an allotment, if `rate` records a second
// enter; infinite: as many as can. A component keeps its cores busy for its part of the time between two records. Its
// own invocation is no pressure on itself, the other lanes are. REQUIRES: view.interference, and is_observed() for
// every component.
std::vector<double> slowdowns(const system_view& view, const allotment& given, double rate);

// The view with the times that components would have under an allotment: those of now times the ratio of the slowdowns
// there and in the allotment in force. Slowdowns and the bottleneck depend on each other; two steps are made. The same
// view where nothing interferes, or no allotment is in force.
system_view under_pressure_of(const system_view& view, const allotment& given, double rate);

}  // namespace weir

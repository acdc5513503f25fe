#pragma once

#include <functional>
#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// Machines whose cores are of several kinds. A component's model is in the time of one kind of them. How much longer it
// takes on each is in component_view::kind_factors. Rules and expectations see only component_view::time_factor: by the
// functions here it stands for the cores that a component has.

// Whether the machine has several kinds, so that it matters which cores a component has.
bool has_kinds(const system_view& view);

// By kind: the time of an invocation on it over that of the model.
std::vector<double> factors_by_kind(const component_view& component, const topology& machine);

// The time of an invocation on these cores over `mean(cores)`, the model's for as many, by the factor of each kind.
//
// On cores of different speeds, the parallel part takes 1 over the sum of their speeds, and the serial part runs on the
// fastest one. That is the law of Hill and Marty for asymmetric chips (Amdahl's Law in the Multicore Era, IEEE Computer
// 41, 2008). So the lane is as fast as sum / fastest cores of its fastest kind. Between whole numbers the mean is
// linear in 1/cores. REQUIRES: lane is not empty.
double lane_factor(const core_set& lane, const topology& machine, const std::vector<double>& by_kind,
                   const std::function<double(int cores)>& mean);

// The same in a component's view.
double lane_factor(const component_view& component, const core_set& lane, const topology& machine);

// The seconds of a shared group for a record, and how much longer its members take there, if they run on this many
// cores of each kind. Each core takes the next member that is due, so a fast core takes more of them. With S(k) the
// members' seconds on one core of kind k, a core there passes 1/S(k) records a second.
struct group_times {
  double seconds = 0;
  std::vector<double> factors;  // by member
};
// `seconds`: of each member by the model, on one core. `by_kind`: the factors of each.
group_times times_in_group(const std::vector<double>& seconds, const std::vector<std::vector<double>>& by_kind,
                           const std::vector<int>& cores);

// The view with time factors for the cores that components have in an allotment, or that the shared group has. The same
// view where the machine has one kind.
system_view on_its_cores(const system_view& view, const allotment& given);

// The view with time factors as if each component had cores of all kinds, as many of each as the view has.
system_view on_mean_cores(const system_view& view);

}  // namespace weir

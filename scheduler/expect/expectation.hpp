#pragma once

#include <vector>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/core_counts.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/expect/component_times.hpp"

namespace weir {

// The expected cost of an allotment, in seconds per record that enters the network. Plain data. NaN where a component
// that records reach was never observed.
struct expectation {
  std::vector<double> seconds;  // by component, on its share or outside; for a member of the shared group: on one core
  double shared = 0;            // of the shared group as a whole; 0 without one
  double bottleneck = 0;        // the largest of all: 1/bottleneck is the expected throughput in records a second
  int slowest = -1;             // the component that is the bottleneck, or -1 when it is the shared group
  // The member to which the shared group's time is due: it has the most work, or its lanes limit the group. -1: it has
  // no member with work.
  int heaviest = -1;
};

// The expected seconds of every component under an allotment. Component i on c cores in w lanes takes
//
//   u_i = V_i / sum over lanes (1 / mean over its recent x of T_i(x, cores of the lane)).
//
// With equal lanes that is V_i T_i(c/w)/w. A component that was never visited costs 0.
//
// The shared group runs as many concurrent invocations as it has cores, but of each member no more than its box allows.
// On s cores it takes max(S/s, max of u_i(1)/width limit), where S is the sum of its members' u_i(1).
//
// If the group lies on a component's core, the lane with that core also runs the group. The component then takes
// max(u_i + S/(T_l R), S). Here T_l is that lane's seconds per invocation and R the sum of the rates of all lanes. With
// one lane that is u_i + S, and with w equal ones u_i + S/w.
//
// A component outside the cores with k concurrent invocations takes V_i T_i(1)/k, which is no work for any core.
//
// Where cores are of several kinds, times are those on the cores that components have (kind_times.hpp).
expectation expected_times(const system_view& view, const allotment& given);

// The same for a division without places, from times that are kept between calls. REQUIRES: `times` for every
// component.
expectation expected_times(const core_counts& given, std::vector<component_times>& times);

// The numbers of cores and lanes of an allotment, without the places.
core_counts counts_of(const allotment& given);

// The times of every component of a view, which must outlive them.
std::vector<component_times> times_of(const system_view& view);

}  // namespace weir

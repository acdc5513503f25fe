#pragma once

#include <utility>

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// How far measured times and their differences are to be believed. Pure functions; times are in seconds.

// The cores of the largest and of the smallest lane. It is one core for a member of the shared group, and for a
// component outside the cores.
std::pair<int, int> lane_cores(const share& s);

// One standard error of a component's mean time, relative to that mean, by the spread of its model.
double relative_noise(const system_view& view, int component);

// One standard error of the ratio of two components' expected times, relative to that ratio. It arises because the next
// inputs differ from the recent ones. Batch means (Law, Simulation Modeling and Analysis, section 9.5) cancel the part
// that both components owe to the same records.
double ratio_noise(const component_view& a, const share& on_a, const component_view& b, const share& on_b);

}  // namespace weir

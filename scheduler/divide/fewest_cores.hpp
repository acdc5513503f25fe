#pragma once

#include <weir/scheduler/view/allocation_options.hpp>
#include <weir/scheduler/view/core_counts.hpp>
#include <weir/scheduler/view/objective.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// Chooses the numbers of cores and lanes that meet a demand with the fewest cores, by the models and with some margin.
// No component is busier than `busiest`, and the expected p99 is at most chosen_part_of_p99 of the demanded one
// (demand_cost.hpp).
//
// The answer is latency_counts on the least number of cores that meets the demand. The number is found by bisection, as
// if more cores never met less. If not even all cores meet the demand, the answer is latency_counts on all.
//
// REQUIRES: all_observed(view). Throws std::invalid_argument when the components that ask for two or more cores ask for
// more than there are.
core_counts fewest_cores_counts(const system_view& view, const stream_demand& asked,
                                const throughput_options& options = {});

}  // namespace weir

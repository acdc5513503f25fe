#pragma once

#include <weir/network/network.hpp>
#include "bench/weir/snet/boxes_plan.hpp"
#include "bench/weir/snet/command_boxes.hpp"

namespace weir::program {

// The box of a worker, without predictor, width and cores. Throws type_error for labels whose values do not travel.
network worker_box(const planned_box& plan, const box_labels& labels);

// This box of a library in a process of its own, with the bounds of the plan. Throws type_error when it is no box, or
// one that cannot be there. In that process it does not return, but runs the box until it is needed no longer.
network isolated_box(const network& box, const planned_box& plan);

}  // namespace weir::program

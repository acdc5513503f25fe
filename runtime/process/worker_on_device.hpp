#pragma once

#include <weir/network/box_spec.hpp>
#include "runtime/process/worker_plan.hpp"

namespace weir::detail::processes {

// The second implementation of a box, by the program of worker_plan::device_arguments. Each slot of the device keeps a
// worker of its own, which may use one core and is bound as the thread of the slot. Throws type_error for labels that
// do not travel. REQUIRES: plan.device is not empty.
device_box worker_on_device(const box_spec& box, const worker_plan& plan);

}  // namespace weir::detail::processes

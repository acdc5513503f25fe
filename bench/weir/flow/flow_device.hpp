#pragma once

#include <optional>
#include <vector>

#include <weir/scheduler/predict/network_model.hpp>
#include "bench/weir/common/scenario_values.hpp"
#include "scheduler/predict/device_flow.hpp"
#include "scheduler/predict/device_placement.hpp"

namespace weir::program {

// A component that ran on cores and on a device: its costs on both, and its mean on the device alone. Plain data.
struct device_of_report {
  device_costs both;
  device_alternative alone;
};

// Reads one of the "devices" of a report, whose components are in the network; `lanes` has the cores of a lane of each.
// Adds the device to the network, and gives the component the mean over all inputs on cores. The cost of an input on
// other cores follows the component's law. Returns none where a side was not known. Throws bad_input naming the place.
std::optional<device_of_report> device_of_report_from(json_object& in, network_model& network,
                                                      const std::vector<int>& lanes);

}  // namespace weir::program

#pragma once

#include <cstddef>
#include <vector>

#include <weir/scheduler/predict/predict_flow.hpp>
#include <weir/scheduler/view/held_function.hpp>

namespace weir {

// A component that runs on cores and on a device: what its inputs cost on either. Plain data; times are in seconds.
struct device_costs {
  // Where records may run.
  enum class side { either, cores, device };

  // Inputs of one size.
  struct input {
    double part = 1;                            // of all its records, above 0
    held_function<double(int cores)> on_cores;  // an invocation on a lane
    double on_device = 0;                       // an invocation, with all slots in use; of several records, over them
    side where = side::either;
  };
  std::size_t component = 0;  // of the network
  int device = 0;             // of network_model::devices
  std::vector<input> inputs;  // their parts sum to 1

  // Records of an invocation on the device at most, and its seconds that do not depend on their number, as of
  // network_model::component has them for cores.
  double together = 1, batch_start = 0;
};

// Predicts a network in which these components run on the cores of the mapping and on their device, as in a run with
// devices (device_rule.hpp). Which records run where is not asked for. Throughput is that of the best division, where
// the inputs that gain most by the device run there. The other numbers are of the division nearest to "each where it is
// fastest" that carries as much. At a rate they are of the division between both with the least latency.
//
// Invocations that take several records are compared by the time of a record alone. At a rate they are compared by a
// record's part of a full invocation as well, and the division with less latency counts.
//
// Each of `both` adds a component after those of the network: the same on its device. A component that joins, or that
// leads to one that does, runs on cores alone, and a note says so; so does one whose device has no slot left.
//
// Throws as predict_flow() does, and std::invalid_argument for a component or device that there is not.
network_prediction predict_on_cores_and_devices(const network_model& network, const std::vector<device_costs>& both,
                                                const mapping& given, int cores, const flow_options& options = {});

}  // namespace weir

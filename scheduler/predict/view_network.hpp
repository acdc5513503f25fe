#pragma once

#include <cstddef>
#include <vector>

#include <weir/scheduler/predict/network_model.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// A component by its model: the mean over its recent inputs, and their variation (component_times.hpp). Throws
// std::invalid_argument naming the component when nothing was ever observed.
network_model::component modelled(const component_view& component);

// The knowledge of a run as a network that predictions can be made for. Visits are by component. Links are as in a
// view: for each record that enters, counting a record once that goes round in a loop. If a component is invoked more
// often than records come on its links, it gets a link to itself for the rest. For a component that joins, every stream
// carries as many records as it is invoked.
network_model network_of(std::vector<network_model::component> components, const std::vector<double>& visits,
                         const std::vector<link>& links);

// Makes a component of the network run outside the cores (`.blocking(max)`), with `at_once` concurrent invocations at
// most. It gets a device of its own, "threads of <name>", with that number of slots. REQUIRES: the component exists and
// is on no device.
void put_outside(network_model& network, std::size_t component, int at_once);

// Lets each invocation of the component take up to this number of records, as a run did; its `seconds` are the time of
// an invocation over its records. The run does not tell how long an invocation for fewer records takes. It is taken to
// last as long: latencies are upper bounds, and a sentence in network.assumed says so.
void take_together(network_model& network, std::size_t component, double records);

// Adds that sentence about `what`, such as "blur on gpu0", unless an invocation takes one record.
void assume_full_batches(network_model& network, const std::string& what, double records);

// The same for a view. Its models give the costs of components, and it knows which run outside. Throws as modelled()
// does.
network_model network_of(const system_view& view);

}  // namespace weir

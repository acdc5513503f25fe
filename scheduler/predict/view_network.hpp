#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/predict/network_model.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// What a model says of a component: the mean over its recent inputs, and their variation (component_times.hpp). Throws
// std::invalid_argument naming the component when nothing was ever observed.
network_model::component modelled(const component_view& component);

// What a run knows of itself, as a network that predictions can be made for. Visits are by component and links are as
// those of a view: for each record that enters, once for what goes round in a loop. A component that is invoked more
// often than records come on its links has a link to itself for the rest; of one that joins, every stream carries as
// many records as it is invoked.
network_model network_of(std::vector<network_model::component> components, const std::vector<double>& visits,
                         const std::vector<link>& links);

// Says that a component of the network runs outside the cores (`.blocking(max)`), `at_once` invocations at most: it
// gets a device of its own, "threads of <name>", with so many slots. REQUIRES: there is such a component, on no device.
void put_outside(network_model& network, std::size_t component, int at_once);

// The same of a view, whose models say what components cost, and which knows who runs outside. Throws as modelled()
// does.
network_model network_of(const system_view& view);

}  // namespace weir

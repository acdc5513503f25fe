#pragma once

#include "scheduler/network_model.hpp"
#include "scheduler/system_view.hpp"

namespace weir {

// What a model says of a component: the mean over its recent inputs, and their variation (component_times.hpp). Throws
// std::invalid_argument naming the component when nothing was ever observed.
network_model::component modelled(const component_view& component);

// What a run knows of itself, as a network that predictions can be made for: components with their models, visits and
// links. A view counts once what goes round in a loop; here a component that is invoked more often than records come
// on its links has a link to itself for the rest. `joins` says of which components it is known that they join; every
// stream of theirs then carries as much. Throws as modelled() does.
network_model network_of(const system_view& view, const std::vector<bool>& joins);

}  // namespace weir

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <weir/scheduler/predict/mapping_search.hpp>
#include <weir/scheduler/predict/network_model.hpp>

namespace weir {

// A second implementation of a component that else runs on cores. Plain data.
struct device_alternative {
  std::size_t component = 0;
  int device = 0;      // of network_model::devices
  int slots = 1;       // of the device, for each invocation
  double seconds = 1;  // mean of one invocation; of a full one, over its records
  // The needs of an invocation there, such as the device's memory, instead of its needs on cores. Without it they are
  // the same.
  std::optional<std::vector<network_model::need>> needs{};
  // Records of an invocation there at most, and its seconds that do not depend on their number, as of a component.
  double together = 1, batch_start = 0;
};

// Where components with an alternative run, by alternative: true is on the device.
using device_choices = std::vector<bool>;

// The network in which these components run on their devices. REQUIRES: a choice for each alternative.
network_model placed_on(const network_model& network, const std::vector<device_alternative>& alternatives,
                        const device_choices& on_device);

// A mapping of a network placed like this.
struct placed_mapping {
  found_mapping found;
  device_choices on_device;
};

// The result of a search. Plain data, as mapping_search_result.
struct placement_search_result {
  std::vector<placed_mapping> best;
  bool complete = false;
  std::uint64_t steps = 0;
};

// Finds the best mappings of a network whose components run on cores or on their devices: best_mappings() for each
// choice. With up to six alternatives it tries all choices. With more it starts with all on cores, and changes one
// while that helps; then `complete` is false. Throws std::invalid_argument as best_mappings() does, and for an
// alternative of a component or device that there is not.
placement_search_result best_placements(const network_model& network,
                                        const std::vector<device_alternative>& alternatives, int cores,
                                        const mapping_goal& goal, const search_progress& progress = {});

}  // namespace weir

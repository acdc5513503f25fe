#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/estimator.hpp"
#include "model/observation.hpp"

namespace weir::component_costs {

// Errors |predicted - observed| / observed in percent. Plain data; NaN where nothing was predicted.
struct error_percent {
  double median = 0;
  double p95 = 0;
};

// What an estimator made of the observations of one component. Plain data.
struct learnt {
  std::uint64_t observations = 0;  // learnt from: every second
  error_percent online;            // of each of those from the 21st on, before it was learnt
  error_percent held_out;          // of the other observations, predicted in the end
  description model;               // in the end; of no estimator for the reference
};

inline constexpr std::size_t first_predicted = 20;  // observations before the first prediction that counts

// Feeds every second observation, the first included, to a new estimator in their order, predicting each before it
// learns it, and then predicts the others. Throws std::invalid_argument as make_estimator does.
learnt learn(const std::string& estimator, degree k, const std::vector<observation>& seen);

// The same by a table instead of a law: the median so far of the observations with that x and that number of cores.
// What no law of x and p can be expected to do better, on sizes that were seen: its error is the scatter of the
// component.
learnt look_up(const std::vector<observation>& seen);

}  // namespace weir::component_costs

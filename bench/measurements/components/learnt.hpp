#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/model/observation.hpp>

namespace weir::component_costs {

// Errors |predicted - observed| / observed in percent. Plain data; NaN without predictions.
struct error_percent {
  double median = 0;
  double p95 = 0;
};

// The result of an estimator on the observations of one component. Plain data.
struct learnt {
  std::uint64_t observations = 0;  // that were learnt: every second one
  error_percent online;            // of each learnt observation from the 21st on, before it was learnt
  error_percent held_out;          // of the other observations, predicted at the end
  description model;               // at the end; empty for the reference
};

inline constexpr std::size_t first_predicted = 20;  // observations before the first prediction that counts

// Feeds every second observation, starting with the first, to a new estimator and predicts each before it is learnt.
// Then it predicts the other observations. Throws std::invalid_argument as make_estimator does.
learnt learn(const std::string& estimator, degree k, const std::vector<observation>& seen);

// The same with a table instead of a law: the median so far of the observations with that x and number of cores. No law
// of x and p can be expected to do better on observed sizes: its error is the scatter of the component.
learnt look_up(const std::vector<observation>& seen);

}  // namespace weir::component_costs

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/report/report.hpp>

namespace weir {

// A component's cost by its model, as curves to be drawn, and its observations. Times are in seconds. Plain data.
struct cost_curves {
  // The cost at each x, or at each number of cores. An interval is the mean -+ 2 standard deviations of a single
  // invocation, and not below 0.
  struct curve {
    int cores = 0;  // of a curve over x
    double x = 0;   // of a curve over cores
    std::vector<double> at, mean, low, high;
  };
  std::vector<curve> over_x;  // one for each of the numbers of cores that were seen; of more than 6, spread ones
  curve over_cores;  // at the median x that was seen: 1, 2, .. the cores of the machine; of more than 48, spread ones
  std::vector<invocation_sample> points;
};

// The curves of a model for what was seen of its component: at 33 places of x, from the least to the largest seen.
// Nothing if nothing was seen. `cores`: of the machine, at least 1.
std::optional<cost_curves> curves_of(const estimator& model, std::vector<invocation_sample> seen, int cores);

// The same of a component in a report; nothing if the report has no model of it. Throws std::invalid_argument as
// estimator_of() does.
std::optional<cost_curves> curves_of(const component_report& of, int cores);

// As runtime/page/README.md describes them; null if there are none.
nlohmann::ordered_json curves_json(const std::optional<cost_curves>& curves);

}  // namespace weir

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/options/options.hpp>
#include "bench/weir/common/fit_data.hpp"
#include "bench/weir/fit/fit_options.hpp"

namespace weir::program {

// A model's prediction for one row, in seconds. NaN: it could not say.
struct forecast {
  double mean = 0, spread = 0;
};

// Errors |predicted - seen| / seen of the rows with a prediction, in percent; NaN without any.
struct error_summary {
  std::uint64_t rows = 0;
  std::uint64_t unpredicted = 0;  // further rows, without a prediction by the model
  double median = std::numeric_limits<double>::quiet_NaN();
  double p95 = median, max = median;
};

// One component, learnt by one estimator. Plain data; `shown` points into the rows passed to fit().
struct fitted_component {
  std::string name, estimator;
  int degree = 0;
  description learnt;
  double confidence = 0;                // mean over the learnt rows
  std::uint64_t skipped = 0;            // rows that were not learnt; the notes say why
  error_summary training;               // of the final model, on the learnt rows
  std::optional<error_summary> online;  // of predictions made before each row was learnt
  std::optional<error_summary> test;
  const std::vector<timed_row>* shown = nullptr;
  std::vector<forecast> forecasts;  // of `shown`: the test rows if there are any, else the learnt rows
  std::vector<std::string> notes;   // requests that could not be met, and questions that the data cannot answer
  saved_model saved;
};

// Learns the rows in their order and evaluates the model. `test` may be null. `on_row` is called for each learnt row.
fitted_component fit(const component_rows& seen, const component_rows* test, const std::string& kind,
                     const fit_plan& plan, const std::function<void()>& on_row);

}  // namespace weir::program

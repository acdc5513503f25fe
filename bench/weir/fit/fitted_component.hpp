#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench/weir/common/fit_data.hpp"
#include "bench/weir/fit/fit_options.hpp"
#include "model/estimator.hpp"
#include "runtime/options/options.hpp"

namespace weir::command {

// What a model said about one row, in seconds. NaN: it could not say.
struct forecast {
  double mean = 0, spread = 0;
};

// Errors |predicted - seen| / seen of the rows for which there was a prediction, in percent; NaN where there is none.
struct error_summary {
  std::uint64_t rows = 0;
  std::uint64_t unpredicted = 0;  // further rows, about which the model could not say anything
  double median = std::numeric_limits<double>::quiet_NaN();
  double p95 = median, max = median;
};

// One component, learnt by one estimator. Plain data; `shown` points into the rows that were given to fit().
struct fitted_component {
  std::string name, estimator;
  int degree = 0;
  description learnt;
  double confidence = 0;                // mean over the rows it learnt from
  std::uint64_t skipped = 0;            // rows left out of what it learnt from; the notes say why
  error_summary training;               // of the model as it was in the end, on what it learnt from
  std::optional<error_summary> online;  // of what was foreseen of each row before it was learnt
  std::optional<error_summary> test;
  const std::vector<timed_row>* shown = nullptr;
  std::vector<forecast> forecasts;  // of `shown`: of the test when there is one, else of what was learnt from
  std::vector<std::string> notes;   // what was asked for and could not be, and what the data cannot tell
  saved_model saved;
};

// Learns the rows in their order, and compares. `test` may be null. `on_row` is called for each row learnt.
fitted_component fit(const component_rows& seen, const component_rows* test, const std::string& kind,
                     const fit_plan& plan, const std::function<void()>& on_row);

}  // namespace weir::command

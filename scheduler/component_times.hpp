#pragma once

#include <utility>
#include <vector>

#include "scheduler/system_view.hpp"

namespace weir {

// Whether times can be expected of a component: it was invoked, or its model was loaded. One that was never visited
// counts: it costs nothing.
bool is_observed(const component_view& component);

// The expected times of one component on any share, from its model and the inputs it saw lately. Predictions are made
// when they are first asked for and kept. Refers to the view, which must outlive it; not thread-safe.
//
// The mean over recent inputs is taken over at most eight values of x, each the mean of an eighth of them in ascending
// order: 64 predictions would say the same within a few percent of the spread of x at eight times the price. Without
// recent inputs (a model from an earlier run) it is the middle of what the model has seen.
class component_times {
 public:
  // All times are the model's times `factor`.
  explicit component_times(const component_view& component, double factor = 1);

  // Mean seconds of one invocation on so many cores; infinite where the model does not say.
  double invocation(int cores);

  // Seconds per network input on `cores` cores in `width` lanes of floor or ceil(cores/width). REQUIRES: width <=
  // cores.
  double seconds(int cores, int width);

  // The same while a shared group that takes `group` seconds per network input lies on the first core.
  double seconds_hosting(int cores, int width, double group);

 private:
  double rate(int cores, int width);  // invocations a second, all lanes together

  const component_view& component_;
  double factor_;
  std::vector<std::pair<double, double>> inputs_;  // x and its weight; the weights sum to 1
  std::vector<double> times_;                      // invocation(p) at index p; negative: not computed yet
};

}  // namespace weir

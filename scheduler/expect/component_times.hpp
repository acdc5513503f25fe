#pragma once

#include <optional>
#include <span>
#include <vector>

#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/expect/by_cores.hpp"
#include "scheduler/expect/queueing.hpp"

namespace weir {

// Whether times of a component can be predicted: it was invoked, or its model was loaded. A component that was never
// visited counts as observed, since it costs nothing.
bool is_observed(const component_view& component);

// The expected times of one component on any share, from its model and its recent inputs. Predictions are made when
// first asked for, and kept. Refers to the view, which must outlive it. Not thread-safe.
//
// The mean over recent inputs uses at most eight values of x. Each is the mean of an eighth of the inputs in ascending
// order. With 64 predictions the result would be the same, within a few percent of the spread of x, at eight times the
// price. Without recent inputs, as with a model from an earlier run, x is the middle of the model's range.
class component_times {
 public:
  explicit component_times(const component_view& component) { begin(component); }

  // Resets the object as if constructed for this component, and reuses its memory.
  void begin(const component_view& component);

  // Refers to this component from here on. REQUIRES: it equals the former one in all that a time depends on.
  void refer_to(const component_view& component) { component_ = &component; }

  // The result of is_observed() for the component, computed once.
  bool observed();

  // The mean seconds of one invocation on `cores` cores, times component_view::time_factor. Infinite where the model
  // has no prediction.
  double invocation(int cores) {
    const double kept = means_[cores];
    return kept < 0 ? predicted(cores) : kept;
  }

  // The squared coefficient of variation (variance over squared mean) of an invocation on `cores` cores. It includes
  // the variation of the prediction over the recent inputs, and the model's spread at each input.
  double variation(int cores) {
    const double kept = variations_[cores];
    return kept < 0 ? predicted_moments(cores).variation : kept;
  }

  // Invocations a second of all lanes together: `cores` cores in `width` lanes of floor or ceil(cores/width) cores.
  // REQUIRES: width <= cores.
  double rate(int cores, int width) {
    return rate_of_lanes(cores, width, [this](int lane) { return invocation(lane); });
  }

  // The mean seconds of an invocation when `cores` cores are split into `width` lanes; 0 if it was never visited.
  // REQUIRES: width <= cores.
  double in_lane(int cores, int width);

  // Seconds per network input on `cores` cores in `width` lanes. REQUIRES: width <= cores.
  double seconds(int cores, int width) { return component_->visits <= 0 ? 0 : component_->visits / rate(cores, width); }

  // Seconds per network input of a member in a group with cores enough: it runs as many invocations concurrently as the
  // box allows there (shared_lanes).
  double at_most_lanes() { return seconds(1, 1) / shared_lanes(*component_); }

  // Invocations that may wait concurrently on threads outside the cores; 0: the component needs cores.
  int outside() const { return component_->blocking; }

  // Seconds per network input outside the cores. REQUIRES: outside() > 0.
  double seconds_outside() { return seconds(1, 1) / outside(); }

  // As seconds(), while a shared group that takes `group` seconds per network input occupies the first core.
  double seconds_hosting(int cores, int width, double group);

 private:
  struct expected {
    double mean, variation;
  };
  // Both keep what they find; the first finds only the mean where the model has sums.
  double predicted(int cores);
  expected predicted_moments(int cores);
  // The model's seconds, bounded where the model only guesses: beyond the numbers of cores that were seen. More cores
  // share the work at best; where fewer seem no slower, they are assumed to be. Exploration
  // (control/exploration.cpp) finds out.
  double cautious(double seconds, int cores);
  std::span<const typical_input> inputs() const;

  const component_view* component_;
  std::vector<typical_input> own_inputs_;  // where the view has only recent invocations
  std::optional<input_sums> sums_;
  known_cores seen_;
  by_cores<double> means_{-1}, variations_{-1};  // negative: not computed yet
  int observed_ = -1;                            // not asked yet
};

}  // namespace weir

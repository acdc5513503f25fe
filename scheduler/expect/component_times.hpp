#pragma once

#include <utility>
#include <vector>

#include "scheduler/expect/by_cores.hpp"
#include "scheduler/view/system_view.hpp"

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
  explicit component_times(const component_view& component);

  // is_observed() of the component, asked once.
  bool observed();

  // Mean seconds of one invocation on so many cores, times component_view::time_factor; infinite where the model does
  // not say.
  double invocation(int cores) { return on(cores).mean; }

  // The squared coefficient of variation (variance over squared mean) of an invocation on so many cores: of the
  // prediction over the recent inputs, and of the model's spread about each.
  double variation(int cores) { return on(cores).variation; }

  // Invocations a second of all lanes together, `cores` cores in `width` lanes of floor or ceil(cores/width). REQUIRES:
  // width <= cores.
  double rate(int cores, int width) {
    const int small = cores / width, larger = cores % width;
    return (width - larger) / invocation(small) + (larger > 0 ? larger / invocation(small + 1) : 0.0);
  }

  // Seconds of an invocation in a lane of `cores` cores split into `width` lanes: the mean over the records, of which a
  // faster lane takes more. REQUIRES: width <= cores.
  double in_lane(int cores, int width);

  // Seconds per network input on `cores` cores in `width` lanes. REQUIRES: width <= cores.
  double seconds(int cores, int width) { return component_.visits <= 0 ? 0 : component_.visits / rate(cores, width); }

  // Seconds per network input with as many invocations at once as the box allows in a shared group (shared_lanes): what
  // a member takes in one that has cores enough.
  double at_most_lanes() { return seconds(1, 1) / shared_lanes(component_); }

  // Invocations that wait at once on threads outside the cores; 0: it needs cores.
  int outside() const { return component_.blocking; }

  // Seconds per network input there. REQUIRES: outside() > 0.
  double seconds_outside() { return seconds(1, 1) / outside(); }

  // As seconds(), while a shared group that takes `group` seconds per network input lies on the first core.
  double seconds_hosting(int cores, int width, double group);

 private:
  struct moments {
    double mean = -1;  // negative: not computed yet
    double variation = 0;
  };

  const moments& on(int cores) {
    moments& kept = times_[cores];
    if (kept.mean < 0) kept = predicted(cores);
    return kept;
  }
  moments predicted(int cores) const;

  const component_view& component_;
  std::vector<std::pair<double, double>> inputs_;  // x and its weight; the weights sum to 1
  by_cores<moments> times_;
  int observed_ = -1;  // not asked yet
};

}  // namespace weir

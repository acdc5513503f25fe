#pragma once

#include <vector>

#include "scheduler/cost_curve.hpp"

namespace weir {

// How long one component holds a record with each number of cores, in the lanes that are best for that. Lazy, like the
// times beneath. Not thread-safe.
class sojourn_curve {
 public:
  struct point {
    double seconds = -1;  // infinite when it would be busier than `busiest`; negative: not computed yet
    int width = 1;
  };

  // At `rate` records a second that enter the network; 0: the record is alone, and more lanes than one are of use only
  // where the box asks for more cores than one invocation may have. REQUIRES: component.min_cores <= cores; `times`,
  // which are the component's, outlive the curve.
  sojourn_curve(const component_view& component, component_times& times, int cores, double rate,
                const throughput_options& options);

  // From the least number of cores that suffice; lower > upper when none does.
  core_bounds bounds();

  // With no cores: a member of the shared group, without its wait.
  const point& at(int cores);

 private:
  point best(int cores);

  component_times& times_;
  share_limits limits_;
  double visits_;
  double rate_;
  std::vector<point> points_;  // by number of cores
};

}  // namespace weir

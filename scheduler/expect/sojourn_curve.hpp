#pragma once

#include "scheduler/expect/cost_curve.hpp"
#include "scheduler/expect/queueing.hpp"

namespace weir {

// What an owner takes on when the shared group lies on its core. Plain data.
struct hosted_group {
  double seconds = 0;  // per network input
  shared_queue members;
  double waits = 0;  // how often a record waits as a member, for each time that it waits as the host's
};

// How long one component holds a record with each number of cores, in the lanes that are best for that. One that runs
// outside the cores has no cores, its bounds are {0, 0}, and that is one point. Lazy, like the times beneath. Not
// thread-safe.
class sojourn_curve {
 public:
  struct point {
    double seconds = -1;  // infinite when the component would be slower than the limit; negative: not computed yet
    int width = 1;
  };

  // At `rate` records a second that enter the network; 0: the record is alone, and more lanes than one are of use only
  // where the box asks for more cores than one invocation may have. REQUIRES: component.min_cores <= cores; `times`,
  // which are the component's, outlive the curve.
  sojourn_curve(const component_view& component, component_times& times, int cores, double rate,
                const throughput_options& options);

  // The most seconds per network input that the component may take; infinite at first.
  void set_limit(double seconds);

  // From the least number of cores that suffice; lower > upper when none does, as outside the cores when the component
  // is slower than the limit.
  core_bounds bounds();
  core_bounds bounds_hosting(const hosted_group& group);

  // With no cores: a member of the shared group, without its wait, or outside, with it.
  point at(int cores);

  // The same while the component hosts a shared group; the seconds are its own and those that members wait.
  point hosting(int cores, const hosted_group& group);

 private:
  template <typename Point>
  core_bounds from_first_finite(Point at_cores) const;
  point best(int cores, const hosted_group* group);
  point outside();

  component_times& times_;
  share_limits limits_;
  double visits_;
  double rate_;
  double limit_;
  by_cores<point> points_;
};

}  // namespace weir

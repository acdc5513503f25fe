#pragma once

#include "scheduler/expect/cost_curve.hpp"
#include "scheduler/expect/queueing.hpp"

namespace weir {

// The load of a shared group that lies on an owner's core. Plain data.
struct hosted_group {
  double seconds = 0;  // per network input
  shared_queue members;
  double waits = 0;  // waits of a record as a member, per wait at the host
};

// The copies of a record that reach a component. Plain data.
struct copies_of_record {
  double number = 1;
  bool in_batches = false;  // they come together
};

// How long one component holds a record, all its copies, with each number of cores, in the lanes that are best for that
// number. For a component outside the cores the bounds are {0, 0}, so there is one point. Lazy, like the times that it
// uses. Not thread-safe.
class sojourn_curve {
 public:
  struct point {
    double seconds = -1;  // infinite: slower than the limit; negative: not computed yet
    int width = 1;
  };

  // Makes the curve for `rate` records a second that enter the network. With 0 the record is alone; then more than one
  // lane helps only if it has copies, or if the box asks for more cores than one invocation may have. `times` are the
  // component's and must outlive the curve. REQUIRES: component.min_cores <= cores.
  sojourn_curve(const component_view& component, component_times& times, int cores, double rate,
                const throughput_options& options, copies_of_record copies);

  // Sets the most seconds per network input that the component may take; infinite at first.
  void set_limit(double seconds);

  // The bounds from the least number of cores that suffices. lower > upper when none does, or when a component outside
  // the cores is slower than the limit.
  core_bounds bounds();
  core_bounds bounds_hosting(const hosted_group& group);

  // The best point with `cores` cores. With 0 it is a member of the shared group, without its wait, or a component
  // outside the cores, with its wait.
  point at(int cores);

  // The same while the component hosts a shared group. The seconds include the waits of the members.
  point hosting(int cores, const hosted_group& group);

 private:
  template <typename Point>
  core_bounds from_first_finite(Point at_cores) const;
  station station_of(double service, int lane_cores, int lanes);
  point best(int cores, const hosted_group* group);
  point outside();

  component_times& times_;
  share_limits limits_;
  double visits_;
  copies_of_record copies_;
  double rate_;
  double limit_;
  by_cores<point> points_;
};

}  // namespace weir

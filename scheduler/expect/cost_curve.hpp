#pragma once

#include <algorithm>
#include <vector>

#include "scheduler/expect/component_times.hpp"
#include "scheduler/view/allocation_options.hpp"
#include "scheduler/view/core_counts.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// The limits of a component on `present` cores: its cores, the cores of one invocation, and its lanes. They follow from
// the bounds of its box and from throughput_options::growth and max_width. A component that runs outside gets no cores.
// Plain data.
struct share_limits {
  core_bounds cores;
  int lane_cores = 1;
  int width = 1;
  int shared_lanes = 1;  // concurrent invocations as a member of the shared group
};

share_limits limits_of(const component_view& component, int present, const throughput_options& options);

// Visits the numbers of lanes that are worth considering for `cores` cores, ascending. For a given quotient cores/lanes
// the rate is linear in the lanes, so only the first and the last number with that quotient can be best. At most 4
// sqrt(cores) numbers remain. Numbers that give an invocation more than limits.lane_cores are not visited; there may be
// no others.
template <typename Visit>
void visit_widths(int cores, const share_limits& limits, Visit visit) {
  const int most = std::min(cores, limits.width);
  for (int w = 1; w <= most;) {
    const int last = std::min(most, cores / (cores / w));
    for (int width = w; width <= last; width += std::max(1, last - w))
      if (static_cast<long long>(width) * limits.lane_cores >= cores) visit(width);
    w = last + 1;
  }
}

// The best that one component can do for throughput with each number of cores. Lazy, like the times that it uses:
// numbers of cores are considered in ascending order, up to the largest that was asked for. Refers to the view. Not
// thread-safe.
class cost_curve {
 public:
  struct point {
    double seconds = 0;  // per network input
    int width = 1;
  };

  // REQUIRES: component.min_cores <= cores.
  cost_curve(const component_view& component, int cores, const throughput_options& options);

  core_bounds bounds() const { return limits_.cores; }
  double one_core() { return times_.seconds(1, 1); }
  double at_most_lanes() { return one_core() / limits_.shared_lanes; }  // as a member of a group that has enough cores
  double variation(int cores) { return times_.variation(cores); }

  // REQUIRES: bounds().lower <= cores.
  point at(int cores) {
    while (next() <= cores) look();
    return looked_[static_cast<std::size_t>(cores - limits_.cores.lower)].best;
  }

  // The same as at(), while the component hosts a shared group of `group` seconds.
  point hosting(int cores, double group);

  // The seconds of hosting() in the lanes of at(), which are the best without the group.
  double still_hosting(int cores, double group) { return times_.seconds_hosting(cores, at(cores).width, group); }

  // The fewest cores that take no longer than `bottleneck` seconds, or `most` + 1 when `most` cores do not suffice.
  int needed(double bottleneck, int most);

 private:
  struct sight {
    point best;
    double least = 0;  // seconds of the best with at most so many cores
  };

  template <typename Seconds>
  point best(int cores, Seconds seconds);
  int next() const { return limits_.cores.lower + static_cast<int>(looked_.size()); }
  void look();  // adds the next number of cores

  component_times times_;
  share_limits limits_;
  double lane_gain_;
  std::vector<sight> looked_;  // by cores, from the lower bound on
  std::vector<point> tried_;   // scratch of best()
};

// The curves of all components. REQUIRES: as cost_curve.
std::vector<cost_curve> curves_of(const system_view& view, const throughput_options& options);

}  // namespace weir

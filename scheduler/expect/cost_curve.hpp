#pragma once

#include <algorithm>
#include <vector>

#include "scheduler/expect/component_times.hpp"
#include "scheduler/view/allocation_options.hpp"
#include "scheduler/view/core_counts.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// How many cores a component may have when there are `present`, how many of them one invocation, and in how many lanes:
// the bounds of its box, and throughput_options::growth and max_width. None of one that runs outside. Plain data.
struct share_limits {
  core_bounds cores;
  int lane_cores = 1;
  int width = 1;
  int shared_lanes = 1;  // invocations at once as a member of the shared group
};

share_limits limits_of(const component_view& component, int present, const throughput_options& options);

// Visits the numbers of lanes worth a look for `cores` cores, ascending. For a given quotient the rate is linear in the
// lanes, so among those with the same quotient only the first and the last can be best: 4 sqrt(cores) at most. None
// gives an invocation more than limits.lane_cores; there is none when that cannot be kept.
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

// The best that one component can do for throughput with each number of cores. Lazy, like the times beneath: numbers of
// cores are looked at in turn, up to the largest that was asked for. Refers to the view; not thread-safe.
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
  double at_most_lanes() { return one_core() / limits_.shared_lanes; }  // as a member of a group with cores enough
  double variation(int cores) { return times_.variation(cores); }

  // REQUIRES: bounds().lower <= cores.
  point at(int cores) {
    while (next() <= cores) look();
    return looked_[static_cast<std::size_t>(cores - limits_.cores.lower)].best;
  }

  // The same while the component hosts a shared group of `group` seconds.
  point hosting(int cores, double group);

  // The same seconds in the lanes that are best alone.
  double still_hosting(int cores, double group) { return times_.seconds_hosting(cores, at(cores).width, group); }

  // The fewest cores that take no longer than `bottleneck`, or `most` + 1 when so many do not suffice.
  int needed(double bottleneck, int most);

 private:
  struct sight {
    point best;
    double least = 0;  // seconds of the best with so many cores or fewer
  };

  template <typename Seconds>
  point best(int cores, Seconds seconds);
  int next() const { return limits_.cores.lower + static_cast<int>(looked_.size()); }
  void look();  // at one number of cores more

  component_times times_;
  share_limits limits_;
  double lane_gain_;
  std::vector<sight> looked_;  // by cores, from the lower bound on
  std::vector<point> tried_;   // scratch of best()
};

// One for each component. REQUIRES: as cost_curve.
std::vector<cost_curve> curves_of(const system_view& view, const throughput_options& options);

}  // namespace weir

#pragma once

#include <algorithm>
#include <vector>

#include <weir/scheduler/view/allocation_options.hpp>
#include <weir/scheduler/view/core_counts.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/expect/component_times.hpp"

namespace weir {

// The limits of a component on `present` cores: its cores, the cores of one invocation, and its lanes. They follow from
// the bounds of its box and from throughput_options::growth and max_width. A component that runs outside gets no cores.
// Plain data.
struct share_limits {
  core_bounds cores;
  int lane_cores = 1;
  int width = 1;
  int shared_lanes = 1;  // concurrent invocations as a member of the shared group
  int group_lanes = 1;   // cores that it adds to the group: these, or one without wide_group
};

share_limits limits_of(const component_view& component, int present, const throughput_options& options);

// The fewest lanes that give no invocation more than limits.lane_cores.
inline int fewest_lanes(int cores, const share_limits& limits) {
  return cores / limits.lane_cores + (cores % limits.lane_cores > 0 ? 1 : 0);
}

// Visits the numbers of lanes that are worth considering for `cores` cores, ascending. For a given quotient cores/lanes
// the rate is linear in the lanes, so only the first and the last number with that quotient can be best. At most 4
// sqrt(cores) numbers remain. Numbers that give an invocation more than limits.lane_cores are not visited; there may be
// no others.
template <typename Visit>
void visit_widths(int cores, const share_limits& limits, Visit visit) {
  const int most = std::min(cores, limits.width);
  for (int w = fewest_lanes(cores, limits); w <= most;) {
    const int last = std::min(most, cores / (cores / w));
    visit(w);
    if (w < last) visit(last);
    w = last + 1;
  }
}

// The best that one component can do for throughput with each number of cores. Lazy, like the times that it uses: only
// numbers of cores that are asked for are considered, and kept. Refers to the times. Not thread-safe.
//
// Where a number of cores can be cut into many numbers of lanes, few are considered. Lanes of q and q + 1 cores give no
// more than the better of the two speeds per core, on all cores together. So quotients whose speed per core is too low
// are left out, and needed() leaves out numbers of cores that are too few at the highest speed per core. Neither
// changes an answer.
class cost_curve {
 public:
  struct point {
    double seconds = 0;  // per network input
    int width = 1;
  };

  // `times` are the component's. REQUIRES: component.min_cores <= cores.
  cost_curve(const component_view& component, component_times& times, int cores, const throughput_options& options)
      : times_(times) {
    begin(component, cores, options);
  }

  // The same as made anew, without the cost of making room.
  void begin(const component_view& component, int cores, const throughput_options& options);

  core_bounds bounds() const { return limits_.cores; }
  double one_core() { return times_.seconds(1, 1); }
  double at_most_lanes() { return one_core() / limits_.shared_lanes; }  // as a member of a group that has enough cores
  int group_lanes() const { return limits_.group_lanes; }
  double variation(int cores) { return times_.variation(cores); }

  // REQUIRES: bounds().lower <= cores.
  const point& at(int cores) {
    const std::size_t i = index(cores);
    return i < sampled_.size() && sampled_[i].best.width > 0 ? sampled_[i].best : sample(cores);
  }

  // The same as at(), while the component hosts a shared group of `group` seconds.
  point hosting(int cores, double group);

  // The seconds of hosting() in the lanes of at(), which are the best without the group.
  double still_hosting(int cores, double group) { return times_.seconds_hosting(cores, at(cores).width, group); }

  // The fewest cores that take no longer than `bottleneck` seconds, or `most` + 1 when `most` cores do not suffice.
  int needed(double bottleneck, int most);

 private:
  struct sight {
    point best{0, 0};  // width 0: not sampled
    double least = 0;  // the fewest seconds with at most these cores; for the first in_order_
  };
  struct lanes {
    double rate;  // invocations a second
    int width;
  };

  std::size_t index(int cores) const { return static_cast<std::size_t>(cores - limits_.cores.lower); }
  const point& sample(int cores);
  point best(int cores);
  template <typename Seconds>
  point best_of_all(int cores, Seconds seconds);
  void consider_quotients(int cores);
  void know_speeds(int quotient);
  int fewest_possible(double bottleneck);

  component_times& times_;
  share_limits limits_;
  double visits_ = 0;
  double lane_gain_ = 0;
  std::vector<sight> sampled_;   // by cores, from the lower bound on
  std::size_t in_order_ = 0;     // the number of them that needed() read one after the other
  std::vector<double> speeds_;   // by the cores of a lane: invocations a second
  std::vector<double> densest_;  // by the cores of a lane: the highest speed per core from there on, as far as known
  std::vector<lanes> cuts_;      // scratch of best()
};

// The curves of all components by their times. REQUIRES: as cost_curve.
std::vector<cost_curve> curves_of(const system_view& view, std::vector<component_times>& times,
                                  const throughput_options& options);

}  // namespace weir

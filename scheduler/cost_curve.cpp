#include "scheduler/cost_curve.hpp"

#include <algorithm>
#include <limits>

namespace weir {

share_limits limits_of(const component_view& component, int present, const throughput_options& options) {
  share_limits limits;
  limits.width = std::min(component.max_width, options.max_width);
  if (!component.sequential) {
    limits.lane_cores = present;
    if (const description d = component.model->describe(); d.alpha_known)
      if (const double grown = options.growth * d.largest_cores; grown < present)
        limits.lane_cores = static_cast<int>(grown);
    limits.lane_cores = std::max(component.min_cores, limits.lane_cores);
  }
  const long long useful = static_cast<long long>(limits.lane_cores) * limits.width;
  limits.cores.lower = component.min_cores;
  limits.cores.upper = std::min(present, component.max_cores);
  if (useful < limits.cores.upper) limits.cores.upper = static_cast<int>(useful);
  limits.cores.upper = std::max(limits.cores.lower, limits.cores.upper);
  return limits;
}

cost_curve::cost_curve(const component_view& component, int cores, const throughput_options& options)
    : times_(component), limits_(limits_of(component, cores, options)), lane_gain_(options.lane_gain) {}

cost_curve::point cost_curve::at(int cores) {
  point& kept = points_[cores];
  if (kept.seconds < 0) kept = best(cores, [&](int width) { return times_.seconds(cores, width); });
  return kept;
}

cost_curve::point cost_curve::hosting(int cores, double group) {
  return best(cores, [&](int width) { return times_.seconds_hosting(cores, width, group); });
}

int cost_curve::needed(double bottleneck, int most) {
  const int last = std::min(most, limits_.cores.upper);
  for (int c = limits_.cores.lower; c <= last; ++c)
    if (at(c).seconds <= bottleneck) return c;
  return most + 1;
}

template <typename Seconds>
cost_curve::point cost_curve::best(int cores, Seconds seconds) {
  point least{std::numeric_limits<double>::infinity(), std::min(cores, limits_.width)};
  tried_.clear();
  visit_widths(cores, limits_, [&](int width) {
    tried_.push_back({seconds(width), width});
    if (tried_.back().seconds < least.seconds) least = tried_.back();
  });
  for (const point& fewer : tried_)
    if (fewer.seconds * (1 - lane_gain_) <= least.seconds) return fewer;
  return least;
}

}  // namespace weir

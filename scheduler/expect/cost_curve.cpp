#include "scheduler/expect/cost_curve.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace weir {

share_limits limits_of(const component_view& component, int present, const throughput_options& options) {
  share_limits limits;
  if (is_outside(component)) {
    limits.cores = {0, 0};
    return limits;
  }
  limits.width = std::min(component.max_width, options.max_width);
  limits.shared_lanes = std::min({present, shared_lanes(component), options.max_width});
  if (!component.sequential) {
    limits.lane_cores = present;
    if (const known_cores seen = component.model->cores_known(); seen.largest > 0)
      if (const double grown = options.growth * seen.largest; grown < present)
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
    : times_(component), limits_(limits_of(component, cores, options)), lane_gain_(options.lane_gain) {
  assert(component.min_cores <= cores);
  looked_.reserve(16);
}

void cost_curve::look() {
  const int cores = next();
  const point found = best(cores, [&](int width) { return times_.seconds(cores, width); });
  looked_.push_back({found, looked_.empty() ? found.seconds : std::min(looked_.back().least, found.seconds)});
}

cost_curve::point cost_curve::hosting(int cores, double group) {
  return best(cores, [&](int width) { return times_.seconds_hosting(cores, width, group); });
}

int cost_curve::needed(double bottleneck, int most) {
  const int last = std::min(most, limits_.cores.upper);
  while (next() <= last && (looked_.empty() || looked_.back().least > bottleneck)) look();
  const auto enough =
      std::partition_point(looked_.begin(), looked_.end(), [&](const sight& s) { return s.least > bottleneck; });
  const int cores = limits_.cores.lower + static_cast<int>(enough - looked_.begin());
  return enough != looked_.end() && cores <= last ? cores : most + 1;
}

template <typename Seconds>
cost_curve::point cost_curve::best(int cores, Seconds seconds) {
  if (limits_.width == 1 && cores <= limits_.lane_cores) return {seconds(1), 1};
  point least{std::numeric_limits<double>::infinity(), std::min(cores, limits_.width)};
  tried_.clear();
  tried_.reserve(16);
  visit_widths(cores, limits_, [&](int width) {
    tried_.push_back({seconds(width), width});
    if (tried_.back().seconds < least.seconds) least = tried_.back();
  });
  for (const point& fewer : tried_)
    if (fewer.seconds * (1 - lane_gain_) <= least.seconds) return fewer;
  return least;
}

std::vector<cost_curve> curves_of(const system_view& view, const throughput_options& options) {
  std::vector<cost_curve> curves;
  curves.reserve(view.components.size());
  for (const component_view& c : view.components) curves.emplace_back(c, view.cores.size(), options);
  return curves;
}

}  // namespace weir

#include "scheduler/sojourn_curve.hpp"

#include <algorithm>
#include <limits>

#include "scheduler/latency.hpp"
#include "scheduler/queueing.hpp"

namespace weir {

sojourn_curve::sojourn_curve(const component_view& component, component_times& times, int cores, double rate,
                             const throughput_options& options)
    : times_(times), limits_(limits_of(component, cores, options)), visits_(component.visits), rate_(rate) {
  // A record alone has one lane; the others would stand still.
  if (rate_ == 0)
    limits_.cores.upper = std::max(limits_.cores.lower, std::min(limits_.cores.upper, limits_.lane_cores));
}

core_bounds sojourn_curve::bounds() {
  core_bounds bounds = limits_.cores;
  while (bounds.lower <= bounds.upper && !(at(bounds.lower).seconds < std::numeric_limits<double>::infinity()))
    ++bounds.lower;
  return bounds;
}

const sojourn_curve::point& sojourn_curve::at(int cores) {
  const auto c = static_cast<std::size_t>(cores);
  if (points_.size() <= c) points_.resize(std::max(c + 1, 2 * points_.size()));
  if (points_[c].seconds < 0) points_[c] = best(cores);
  return points_[c];
}

sojourn_curve::point sojourn_curve::best(int cores) {
  if (visits_ <= 0) return {0, 1};
  if (cores == 0) return {times_.invocation(1), 1};
  point least{std::numeric_limits<double>::infinity(), std::min(cores, limits_.width)};
  for (int width : candidate_widths(cores, limits_)) {
    const offered_load load{rate_ * visits_, times_.in_lane(cores, width),
                            rate_ > 0 ? times_.variation((cores + width - 1) / width) : 0};
    if (load.rate * load.service > busiest * width) continue;
    const double seconds = load.service + waiting_time(load, width);
    if (seconds < least.seconds) least = {seconds, width};
    if (rate_ == 0) break;
  }
  // A box whose own bounds ask for more cores than its lanes may have.
  if (rate_ == 0 && candidate_widths(cores, limits_).empty()) least.seconds = times_.in_lane(cores, least.width);
  return least;
}

}  // namespace weir

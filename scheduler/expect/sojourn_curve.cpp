#include "scheduler/expect/sojourn_curve.hpp"

#include <algorithm>

#include "scheduler/view/numbers.hpp"

namespace weir {

sojourn_curve::sojourn_curve(const component_view& component, component_times& times, int cores, double rate,
                             const throughput_options& options, copies_of_record copies)
    : times_(times),
      limits_(limits_of(component, cores, options)),
      visits_(component.visits),
      copies_(copies),
      rate_(rate),
      limit_(infinite_seconds) {
  // A record alone uses one lane; others would be idle.
  if (rate_ == 0 && copies_.number == 1)
    limits_.cores.upper = std::max(limits_.cores.lower, std::min(limits_.cores.upper, limits_.lane_cores));
}

void sojourn_curve::set_limit(double seconds) {
  limit_ = seconds;
  points_.clear();
}

core_bounds sojourn_curve::bounds() {
  return from_first_finite([&](int cores) { return at(cores); });
}

core_bounds sojourn_curve::bounds_hosting(const hosted_group& group) {
  return from_first_finite([&](int cores) { return hosting(cores, group); });
}

sojourn_curve::point sojourn_curve::at(int cores) {
  point& kept = points_[cores];
  if (kept.seconds < 0) kept = best(cores, nullptr);
  return kept;
}

sojourn_curve::point sojourn_curve::hosting(int cores, const hosted_group& group) { return best(cores, &group); }

template <typename Point>
core_bounds sojourn_curve::from_first_finite(Point at_cores) const {
  core_bounds bounds = limits_.cores;
  while (bounds.lower <= bounds.upper && !(at_cores(bounds.lower).seconds < infinite_seconds)) ++bounds.lower;
  return bounds;
}

// Behind other components copies come at the pace of these.
station sojourn_curve::station_of(double service, int lane_cores, int lanes) {
  if (rate_ == 0) return {{0, service}, lanes};
  return {{rate_ * visits_, service, times_.variation(lane_cores), copies_.in_batches ? copies_.number : 1}, lanes};
}

sojourn_curve::point sojourn_curve::outside() {
  const int at_once = times_.outside();
  if (times_.seconds_outside() > limit_) return {infinite_seconds, at_once};
  const station own = station_of(times_.invocation(1), 1, at_once);
  return {own.load.service + own.wait() + own.delay(copies_.number), at_once};
}

sojourn_curve::point sojourn_curve::best(int cores, const hosted_group* group) {
  if (visits_ <= 0) return {group != nullptr && group->seconds > limit_ ? infinite_seconds : 0, 1};
  if (times_.outside() > 0) return outside();
  if (cores == 0) return {times_.invocation(1) + station{{0, times_.invocation(1)}, 1}.delay(copies_.number), 1};
  point least{infinite_seconds, std::min(cores, limits_.width)};
  const auto consider = [&](int width) {
    const double all = times_.rate(cores, width), service = width / all;
    const double input = group == nullptr ? visits_ / all : times_.seconds_hosting(cores, width, group->seconds);
    if (input > limit_ || service >= least.seconds) return;
    const station own = station_of(service, (cores + width - 1) / width, width);
    double shared = 0, of_members = 0;
    if (rate_ > 0 && group != nullptr) {
      shared_queue both = group->members;
      both.add(own.load);
      shared = both.wait(width);
      of_members = group->waits * std::max(shared, group->members.wait(1));
    }
    const double all_copies = service + own.delay(copies_.number) + own.wait(shared) + of_members;
    if (all_copies < least.seconds) least = {all_copies, width};
  };
  if (rate_ > 0 || copies_.number > 1)
    visit_widths(cores, limits_, consider);
  else  // as few lanes as possible
    consider(std::min(least.width, (cores + limits_.lane_cores - 1) / limits_.lane_cores));
  return least;
}

}  // namespace weir

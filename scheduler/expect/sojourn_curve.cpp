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

sojourn_curve::point sojourn_curve::outside() {
  const int at_once = times_.outside();
  if (times_.seconds_outside() > limit_) return {infinite_seconds, at_once};
  const offered_load own{rate_ * visits_, times_.invocation(1), times_.variation(1), batch()};
  return {own.service + waiting_time(own, at_once) + behind(own.service, at_once), at_once};
}

// Behind other components copies come at the pace of these.
double sojourn_curve::batch() const { return copies_.in_batches ? copies_.number : 1; }

double sojourn_curve::behind(double service, int lanes) const {
  return std::max(0.0, copies_.number * service / lanes - service);
}

sojourn_curve::point sojourn_curve::best(int cores, const hosted_group* group) {
  if (visits_ <= 0) return {group != nullptr && group->seconds > limit_ ? infinite_seconds : 0, 1};
  if (times_.outside() > 0) return outside();
  if (cores == 0) return {times_.invocation(1) + behind(times_.invocation(1), 1), 1};
  point least{infinite_seconds, std::min(cores, limits_.width)};
  const auto consider = [&](int width) {
    const double all = times_.rate(cores, width), service = width / all;
    const double input = group == nullptr ? visits_ / all : times_.seconds_hosting(cores, width, group->seconds);
    if (input > limit_ || service >= least.seconds) return;
    double waits = behind(service, width);
    if (rate_ > 0) {
      const offered_load own{rate_ * visits_, service, times_.variation((cores + width - 1) / width), batch()};
      double queued = waiting_time(own, width);
      if (group != nullptr) {
        shared_queue both = group->members;
        both.add(own);
        const double shared = both.wait(width);
        queued = std::max(queued, shared) + group->waits * std::max(shared, group->members.wait(1));
      }
      waits += queued;
    }
    if (service + waits < least.seconds) least = {service + waits, width};
  };
  if (rate_ > 0 || copies_.number > 1)
    visit_widths(cores, limits_, consider);
  else  // as few lanes as possible
    consider(std::min(least.width, (cores + limits_.lane_cores - 1) / limits_.lane_cores));
  return least;
}

}  // namespace weir

#include "scheduler/expect/cost_curve.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

// With fewer lanes all numbers of them are considered.
constexpr int few_lanes = 3;
// The number of speeds that are asked for at first: lanes of few cores have the highest speed per core mostly.
constexpr std::size_t near_speeds = 8;

}  // namespace

share_limits limits_of(const component_view& component, int present, const throughput_options& options) {
  share_limits limits;
  if (is_outside(component)) {
    limits.cores = {0, 0};
    return limits;
  }
  limits.width = std::min(component.max_width, options.max_width);
  limits.shared_lanes = std::min({present, shared_lanes(component), options.max_width});
  limits.group_lanes = options.wide_group ? limits.shared_lanes : 1;
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

void cost_curve::begin(const component_view& component, int cores, const throughput_options& options) {
  assert(component.min_cores <= cores);
  limits_ = limits_of(component, cores, options);
  visits_ = component.visits;
  lane_gain_ = options.lane_gain;
  sampled_.clear();
  in_order_ = 0;
  speeds_.clear();
  densest_.clear();
}

const cost_curve::point& cost_curve::sample(int cores) {
  const std::size_t i = index(cores);
  if (i >= sampled_.size()) sampled_.resize(i + std::max<std::size_t>(i / 2, 8));
  return sampled_[i].best = best(cores);
}

cost_curve::point cost_curve::hosting(int cores, double group) {
  return best_of_all(cores, [&](int width) { return times_.seconds_hosting(cores, width, group); });
}

int cost_curve::needed(double bottleneck, int most) {
  constexpr std::size_t near = 2;  // the number of those read in order, before their speeds are asked for
  const int last = std::min(most, limits_.cores.upper);
  const auto end = sampled_.begin() + static_cast<std::ptrdiff_t>(in_order_);
  const auto enough = std::partition_point(sampled_.begin(), end, [&](const sight& s) { return s.least > bottleneck; });
  int cores = limits_.cores.lower + static_cast<int>(enough - sampled_.begin());
  if (enough != end) return cores <= last ? cores : most + 1;
  for (; cores <= last; ++cores) {
    if (in_order_ >= near)
      if (const int first = fewest_possible(bottleneck); first > cores) {
        for (cores = first; cores <= last && at(cores).seconds > bottleneck; ++cores) {
        }
        break;
      }
    const double seconds = at(cores).seconds;
    sampled_[in_order_].least = in_order_ == 0 ? seconds : std::min(sampled_[in_order_ - 1].least, seconds);
    ++in_order_;
    if (seconds <= bottleneck) return cores;
  }
  return cores <= last ? cores : most + 1;
}

// A number of cores that no number that suffices is below.
int cost_curve::fewest_possible(double bottleneck) {
  if (limits_.width < few_lanes || visits_ <= 0 || !(bottleneck > 0)) return limits_.cores.lower;
  know_speeds(static_cast<int>(near_speeds));
  const int longest = std::min(limits_.lane_cores, limits_.cores.upper);
  for (;;) {
    const double least = visits_ / bottleneck / densest_[1] * (1 - relative_rounding);
    const int cores = as_int(least, 0, limits_.cores.upper + 1);
    const int known = static_cast<int>(speeds_.size()) - 1;
    if (known >= longest || cores <= known) return cores;
    know_speeds(std::min(cores, longest));
  }
}

// Makes speeds_ and densest_ known up to lanes of `quotient` cores at least, or of the most that an invocation may
// have.
void cost_curve::know_speeds(int quotient) {
  const std::size_t before = speeds_.size(), asked = to_index(std::min(quotient, limits_.lane_cores));
  if (before > asked) return;
  const std::size_t spare =
      std::min(std::max(near_speeds, 2 * before), to_index(std::min(limits_.lane_cores, limits_.cores.upper)));
  const std::size_t end = std::max(asked, spare) + 1;
  speeds_.resize(end, 0);
  densest_.assign(end + 1, 0);
  for (std::size_t q = std::max<std::size_t>(before, 1); q < end; ++q)
    speeds_[q] = 1 / times_.invocation(static_cast<int>(q));
  for (std::size_t q = end; q-- > 1;) densest_[q] = std::max(densest_[q + 1], speeds_[q] / static_cast<double>(q));
}

// Adds to cuts_, most lanes first, all that can be best or nearly so.
void cost_curve::consider_quotients(int cores) {
  const int most = std::min(cores, limits_.width), first = fewest_lanes(cores, limits_);
  know_speeds((cores + first - 1) / first);
  double enough = 0;
  for (int q = cores / most; q <= cores / first; ++q) {
    if (densest_[to_index(q)] * cores < enough) break;
    const auto consider = [&](int width, int larger) {
      const double rate =
          (width - larger) * speeds_[to_index(q)] + (larger > 0 ? larger * speeds_[to_index(q) + 1] : 0);
      cuts_.push_back({rate, width});
      enough = std::max(enough, rate * (1 - lane_gain_) * (1 - relative_rounding));
    };
    const int low = std::max(first, cores / (q + 1) + 1), high = std::min(most, cores / q);
    if (high >= low) consider(high, cores - high * q);
    if (high > low) consider(low, cores - low * q);
  }
}

cost_curve::point cost_curve::best(int cores) {
  if (limits_.width == 1 && cores <= limits_.lane_cores) return {times_.seconds(cores, 1), 1};
  const int most = std::min(cores, limits_.width);
  if (visits_ <= 0 || most < few_lanes || fewest_lanes(cores, limits_) > most)
    return best_of_all(cores, [&](int width) { return times_.seconds(cores, width); });
  cuts_.clear();
  consider_quotients(cores);
  double top = 0;
  for (const lanes& one : cuts_) top = std::max(top, one.rate);
  const auto fewest =
      std::find_if(cuts_.rbegin(), cuts_.rend(), [&](const lanes& one) { return one.rate >= top * (1 - lane_gain_); });
  return {visits_ / fewest->rate, fewest->width};
}

template <typename Seconds>
cost_curve::point cost_curve::best_of_all(int cores, Seconds seconds) {
  if (limits_.width == 1 && cores <= limits_.lane_cores) return {seconds(1), 1};
  point least{infinite_seconds, std::min(cores, limits_.width)};
  const auto fewest = [&](auto& tried) {
    std::size_t count = 0;
    visit_widths(cores, limits_, [&](int width) {
      tried[count] = {seconds(width), width};
      if (tried[count].seconds < least.seconds) least = tried[count];
      ++count;
    });
    for (std::size_t i = 0; i < count; ++i)
      if (tried[i].seconds * (1 - lane_gain_) <= least.seconds) return tried[i];
    return least;
  };
  if (least.width < few_lanes) {
    std::array<point, few_lanes> tried;
    return fewest(tried);
  }
  std::vector<point> tried(to_index(least.width));
  return fewest(tried);
}

std::vector<cost_curve> curves_of(const system_view& view, std::vector<component_times>& times,
                                  const throughput_options& options) {
  std::vector<cost_curve> curves;
  curves.reserve(view.components.size());
  for (std::size_t i = 0; i < view.components.size(); ++i)
    curves.emplace_back(view.components[i], times[i], view.cores.size(), options);
  return curves;
}

}  // namespace weir

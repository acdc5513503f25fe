#include <weir/scheduler/divide/throughput.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "scheduler/divide/leximin.hpp"
#include "scheduler/expect/blocking.hpp"
#include "scheduler/expect/cost_curve.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

// One way to divide the cores; it has no components when it is impossible.
struct throughput_candidate {
  core_counts counts;
  double bottleneck = infinite_seconds;
  bool whole_core_member = false;
  int owned = 0;
};

// Divisions where the first `owners` components of an order own cores and all others share.
class throughput_division {
 public:
  throughput_division(int cores, std::vector<cost_curve>& curves, const throughput_options& options)
      : cores_(cores), options_(options), curves_(curves), order_(curves.size()), one_core_(curves.size()) {
    for (std::size_t i = 0; i < curves_.size(); ++i) one_core_[i] = curves_[i].one_core();
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      const bool a_forced = forced(a), b_forced = forced(b);
      return a_forced != b_forced ? a_forced : one_core_[a] > one_core_[b];
    });
    forced_ = static_cast<int>(std::count_if(order_.begin(), order_.end(), [&](std::size_t i) { return forced(i); }));
    suffix_.assign(order_.size() + 1, 0.0);
    slowest_.assign(order_.size() + 1, 0.0);
    lanes_.assign(order_.size() + 1, 0);
    for (std::size_t k = order_.size(); k-- > 0;) {
      suffix_[k] = suffix_[k + 1] + one_core_[order_[k]];
      lanes_[k] = std::min(cores_, lanes_[k + 1] + curves_[order_[k]].group_lanes());
      slowest_[k] = std::max(slowest_[k + 1], curves_[order_[k]].at_most_lanes());
    }
  }

  core_counts best() {
    // Cores that suffice for one bottleneck suffice for every longer one, so the threshold can be bisected. Hosting
    // the group gives it at most one core's time, so the best threshold is at most that for one core more.
    const int low = last_feasible(forced_ - 1, 0), high = last_feasible(low, 1);
    constexpr int few = 12;  // members with several lanes move it further; up to this size all thresholds are tried
    const int first = size() <= few ? forced_ : std::max(forced_, low - 1), last = std::min(size(), high + 2);
    set_bounds(last, shortest_feasible(low));
    std::vector<throughput_candidate> found;
    double least = infinite_seconds;
    const auto consider = [&](throughput_candidate c) {
      if (c.counts.components.empty()) return;
      least = std::min(least, c.bottleneck);
      found.push_back(std::move(c));
    };
    for (int owners = first; owners <= last; ++owners) consider(own_cores(owners));
    // Hosting must bring a gain, unless some member would otherwise need a whole core.
    const bool fine = std::any_of(found.begin(), found.end(), [&](const throughput_candidate& c) {
      return !c.whole_core_member && c.bottleneck <= least * (1 + options_.tie);
    });
    const double limit = fine ? least / (1 + options_.tie) : least * (1 + options_.tie);
    for (int owners = first; options_.hosting && owners <= last; ++owners) consider(hosted(owners, limit));
    // Where nothing takes any time, no threshold tells owners from members.
    if (found.empty()) consider(own_cores(forced_));
    if (found.empty()) consider(hosted(forced_, infinite_seconds));
    const auto worse = [&](const throughput_candidate& a, const throughput_candidate& b) {
      const bool a_out = !(a.bottleneck <= least * (1 + options_.tie)),
                 b_out = !(b.bottleneck <= least * (1 + options_.tie));
      if (a_out != b_out) return b_out;
      if (a.whole_core_member != b.whole_core_member) return b.whole_core_member;
      if (a.counts.host != b.counts.host && std::min(a.counts.host, b.counts.host) < 0) return b.counts.host >= 0;
      return a.owned < b.owned;
    };
    return std::move(std::min_element(found.begin(), found.end(), worse)->counts);
  }

 private:
  int size() const { return static_cast<int>(order_.size()); }
  bool forced(std::size_t component) const { return curves_[component].bounds().lower >= 2; }
  std::size_t at(int k) const { return order_[static_cast<std::size_t>(k)]; }
  double one_core(int k) const { return one_core_[at(k)]; }
  double group_seconds(int owners) const { return suffix_[static_cast<std::size_t>(owners)]; }
  double largest_member(int owners) const { return owners < size() ? one_core(owners) : 0; }
  double slowest_member(int owners) const { return slowest_[static_cast<std::size_t>(owners)]; }
  int group_lanes(int owners) const { return lanes_[static_cast<std::size_t>(owners)]; }

  // The last place in the order whose time on one core is a feasible bottleneck with `extra` cores for the group. The
  // steps grow, so that few cores are considered in vain. REQUIRES: `low` is such a place, or the one before the first.
  int last_feasible(int low, int extra) {
    int high = size();
    for (int step = 1; low + step < high; step *= 2) {
      if (!feasible(one_core(low + step), extra))
        high = low + step;
      else
        low += step;
    }
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (feasible(one_core(middle), extra) ? low : high) = middle;
    }
    return low;
  }

  // A bottleneck that some division keeps, not much longer than the shortest.
  double shortest_feasible(int low) {
    if (low < forced_) return infinite_seconds;
    double longest = one_core(low);
    if (low < size() - 1) return longest;
    // A component that needs many times an even part may be out of reach altogether. Then this bottleneck is short
    // enough.
    const int reach = 16 * (cores_ / size() + 1);
    // At most 7 x 64 tries. With NaN nothing is feasible, and the result so far stays.
    for (double ratio = 2; ratio > 1.01; ratio = std::sqrt(ratio))
      for (int tries = 0; tries < 64 && longest > 0 && feasible(longest / ratio, 0, reach); ++tries) longest /= ratio;
    return longest;
  }

  // Whether the cores suffice for this bottleneck. Every component that takes no longer than that on one core shares,
  // and none owns more than `reach`.
  bool feasible(double bottleneck, int extra, int reach = unlimited) {
    int left = cores_, owners = 0;
    for (; owners < size() && (owners < forced_ || one_core(owners) > bottleneck); ++owners) {
      const int most = std::min(left, reach), cores = curves_[at(owners)].needed(bottleneck, most);
      if (cores > most) return false;
      left -= cores;
    }
    return group_seconds(owners) <= bottleneck * (left + extra) * (1 + 1e-12);
  }

  // Sets the bounds of the first owners. Each lower bound is what the owner needs in any division as good as the one
  // known to be feasible, since leximin would get there anyway. A sum above all cores belongs to divisions that are
  // worse.
  void set_bounds(int owners, double feasible) {
    const double limit = feasible * (1 + options_.tie);
    int left = cores_;
    for (int k = 0; k < owners; ++k) {
      core_bounds b = curves_[at(k)].bounds();
      if (limit < infinite_seconds)
        b.lower = left < b.lower ? b.lower : std::max(b.lower, curves_[at(k)].needed(limit, left));
      b.upper = std::max(b.lower, b.upper);
      left = std::max(0, left - b.lower);
      bounds_.push_back(b);
    }
  }

  std::vector<core_bounds> bounds(int owners) const { return {bounds_.begin(), bounds_.begin() + owners}; }

  static long long least(const std::vector<core_bounds>& items) {
    return std::accumulate(items.begin(), items.end(), 0LL, [](long long sum, core_bounds b) { return sum + b.lower; });
  }

  std::vector<int> divide(const std::vector<core_bounds>& items,
                          const std::function<double(int item, int cores)>& seconds) const {
    return leximin(items, cores_, seconds, options_.leximin ? served::everybody : served::slowest_only);
  }

  // The group, if any, is one more item next to its owners.
  throughput_candidate own_cores(int owners) {
    const double sum = group_seconds(owners), largest = largest_member(owners), slowest = slowest_member(owners);
    const int members = size() - owners;
    if (members == 1) return {};  // with cores of its own a single member is an owner
    std::vector<core_bounds> items = bounds(owners);
    if (members > 0) items.push_back({1, group_lanes(owners)});
    if (least(items) > cores_) return {};
    const std::vector<int> given = divide(items, [&](int k, int cores) {
      return k < owners ? curves_[at(k)].at(cores).seconds : std::max(sum / cores, slowest);
    });
    throughput_candidate result;
    result.counts.components.resize(order_.size());
    result.bottleneck = 0;
    for (int k = 0; k < owners; ++k) {
      const int cores = given[static_cast<std::size_t>(k)];
      const cost_curve::point& p = curves_[at(k)].at(cores);
      result.counts.components[at(k)] = {cores, p.width};
      result.bottleneck = std::max(result.bottleneck, p.seconds);
      result.owned += cores;
    }
    if (members > 0) {
      result.bottleneck = std::max({result.bottleneck, sum / given.back(), slowest});
      result.whole_core_member = largest > 0 && largest >= result.bottleneck * (1 - options_.tie);
      // Cores that would make no owner faster even out the group's load.
      result.counts.shared = std::min(group_lanes(owners), cores_ - result.owned);
    }
    return result;
  }

  // The division with the group on an owner's core; empty when that cannot be within `limit`.
  throughput_candidate hosted(int owners, double limit) {
    const double sum = group_seconds(owners), largest = largest_member(owners);
    const std::vector<core_bounds> items = bounds(owners);
    if (owners == 0 || owners == size() || least(items) > cores_) return {};
    int left = cores_;
    for (int k = 0; limit < infinite_seconds && k < owners; ++k)
      if ((left -= curves_[at(k)].needed(limit, left)) < 0) return {};
    const auto alone = [&](int k, int cores) { return curves_[at(k)].at(cores).seconds; };
    std::vector<int> given = divide(items, alone);
    int host = 0;
    double host_seconds = infinite_seconds;
    for (int k = 0; k < owners; ++k) {
      const int cores = given[static_cast<std::size_t>(k)];
      if (alone(k, cores) > limit) return {};
      const double seconds = curves_[at(k)].still_hosting(cores, sum);
      if (seconds < host_seconds) host_seconds = seconds, host = k;
    }
    int enough = unlimited;  // the least cores of the host on which the group is slower than the host
    given = divide(items, [&](int k, int cores) {
      if (k != host) return alone(k, cores);
      if (cores > enough) return sum;
      const double seconds = curves_[at(k)].hosting(cores, sum).seconds;
      if (seconds <= sum) enough = cores;
      return seconds;
    });
    throughput_candidate result;
    result.counts.components.resize(order_.size());
    result.counts.host = static_cast<int>(at(host));
    result.bottleneck = 0;
    for (int k = 0; k < owners; ++k) {
      const int cores = given[static_cast<std::size_t>(k)];
      const cost_curve::point p = k == host ? curves_[at(k)].hosting(cores, sum) : curves_[at(k)].at(cores);
      result.counts.components[at(k)] = {cores, p.width};
      result.bottleneck = std::max(result.bottleneck, p.seconds);
      result.owned += cores;
    }
    result.whole_core_member = largest > 0 && largest >= result.bottleneck * (1 - options_.tie);
    return result;
  }

  int cores_;
  throughput_options options_;
  std::vector<cost_curve>& curves_;  // by component
  std::vector<std::size_t> order_;   // components that must own, then others by descending time on one core
  std::vector<double> one_core_;     // by component
  std::vector<double> suffix_;       // by place: the sum of its time on one core and of all after it
  std::vector<double> slowest_;      // by place: the longest time, in all lanes of a box, of it and all after it
  std::vector<int> lanes_;           // by place: how many cores a group of it and all after it can use
  int forced_ = 0;                   // how many must own
  std::vector<core_bounds> bounds_;  // by place: of the components that may own
};

// The counts of the components that need cores, as if there were no others.
core_counts counts_on_cores(const system_view& view, const throughput_options& options) {
  system_view others = view;
  std::erase_if(others.components, is_outside);
  const core_counts some = throughput_counts(others, options);
  core_counts all{{}, some.shared, -1};
  all.components.resize(view.components.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    if (is_outside(view.components[i])) continue;
    if (static_cast<int>(next) == some.host) all.host = static_cast<int>(i);
    all.components[i] = some.components[next++];
  }
  return all;
}

}  // namespace

bool all_observed(const system_view& view) {
  return std::all_of(view.components.begin(), view.components.end(), is_observed);
}

core_counts throughput_counts(const system_view& view, const throughput_options& options) {
  assert(all_observed(view));
  if (view.components.empty()) return {};
  if (std::any_of(view.components.begin(), view.components.end(), is_outside)) return counts_on_cores(view, options);
  std::vector<component_times> times = times_of(view);
  require_minima(view);
  std::vector<cost_curve> curves = curves_of(view, times, options);
  return throughput_counts(view, options, curves);
}

core_counts throughput_counts(const system_view& view, const throughput_options& options,
                              std::vector<cost_curve>& curves) {
  const core_counts fastest = throughput_division(view.cores.size(), curves, options).best();
  return options.blocking ? balanced(view, fastest, curves) : fastest;
}

}  // namespace weir

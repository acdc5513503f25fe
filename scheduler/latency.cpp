#include "scheduler/latency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "scheduler/marginal_gain.hpp"
#include "scheduler/sojourn_curve.hpp"

namespace weir {
namespace {

// More seconds than an allotment that keeps up can take: every visit waits behind a queue of all components at once.
double beyond_feasible(const system_view& view, std::vector<component_times>& times) {
  double visits = 0, service = 0, wait = 0;
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    const double v = view.components[i].visits;
    if (v <= 0) continue;
    visits += v;
    service += v * times[i].invocation(1);
    wait += times[i].invocation(1) * (1 + times[i].variation(1)) / 2 * busiest / (1 - busiest);
  }
  return service + visits * wait;
}

double cost_of(const system_view& view, const core_counts& given, double rate, const passage& way,
               std::vector<component_times>& times) {
  const flow now = expected_flow(view, given, rate, way, times);
  const double load = rate / now.throughput;
  if (std::isnan(now.latency) || load <= busiest) return now.latency;
  return beyond_feasible(view, times) * load / busiest;
}

struct candidate {
  core_counts counts;
  double cost = 0;
  double bottleneck = 0;
  double next = 0;  // marginal_gain's
};

// The divisions in which some components share and all others own cores.
class division {
 public:
  division(const system_view& view, double rate, const throughput_options& options)
      : view_(view),
        cores_(view.cores.size()),
        size_(static_cast<int>(view.components.size())),
        rate_(rate),
        options_(options),
        way_(view),
        times_(times_of(view)),
        room_(busiest / rate) {
    curves_.reserve(view.components.size());
    for (std::size_t i = 0; i < view.components.size(); ++i) {
      curves_.emplace_back(view.components[i], times_[i], cores_, rate, options);
      bounds_.push_back(curves_.back().bounds());
    }
    for (int i = 0; i < size_; ++i)
      if (!must_share(i) && view_at(i).min_cores < 2) order_.push_back(i);
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return one_core(a) < one_core(b); });
  }

  // Nothing when no division that was looked at keeps up with the rate.
  std::optional<core_counts> best() {
    std::vector<bool> shares(bounds_.size());
    for (int i = 0; i < size_; ++i) shares[static_cast<std::size_t>(i)] = must_share(i);
    std::optional<candidate> best;
    double slowest = std::numeric_limits<double>::infinity();
    const auto consider = [&](const std::optional<candidate>& one) {
      if (!one || one->bottleneck > slowest || (best && !better(*one, *best))) return false;
      best = one;
      return true;
    };
    consider(with(shares, -1));
    if (best && rate_ == 0) room_ = slowest = best->bottleneck * (1 + options_.tie);
    if (!best && rate_ == 0) consider(free_choice(shares));
    // More members, in steps that grow: how the cost depends on their number is smooth where they are many.
    int members = 0, in_vain = 0, step = 1;
    const int most = static_cast<int>(order_.size());
    while (members < most && in_vain < 3 && (!best || best->next * freed(members) > options_.tie * best->cost)) {
      const int more = std::min(most - members, step);
      for (int k = 0; k < more; ++k)
        shares[static_cast<std::size_t>(order_[static_cast<std::size_t>(members++)])] = true;
      if (members > 8) step = std::max(step, members / 4);
      const bool hosted = options_.hosting && consider(with(shares, 0));
      const bool own = consider(with(shares, 1));
      if (hosted || own)
        in_vain = 0;
      else if (best)
        ++in_vain;
    }
    if (!best) return std::nullopt;
    return best->counts;
  }

 private:
  const component_view& view_at(int i) const { return view_.components[static_cast<std::size_t>(i)]; }
  core_bounds& bounds(int i) { return bounds_[static_cast<std::size_t>(i)]; }
  bool must_share(int i) const { return view_at(i).runs_inline; }
  double one_core(int i) { return times_[static_cast<std::size_t>(i)].seconds(1, 1); }

  // Of those that cost nearly the same the one with the faster bottleneck.
  bool better(const candidate& a, const candidate& b) const {
    if (a.cost < b.cost * (1 - options_.tie)) return true;
    return a.cost <= b.cost && a.bottleneck < b.bottleneck;
  }

  // Cores that more members could give up, at most: those whose time on one core the group has room for.
  int freed(int members) {
    double room = room_;
    int count = 0;
    for (std::size_t k = static_cast<std::size_t>(members); k < order_.size(); ++k) {
      room -= one_core(order_[k]);
      if (room < 0) break;
      count += std::max(1, bounds(order_[k]).lower);
    }
    return count;
  }

  // These share, `group` cores of their own: 0 is an owner's, -1 whichever is better.
  std::optional<candidate> with(const std::vector<bool>& shares, int group) {
    const bool any = std::find(shares.begin(), shares.end(), true) != shares.end();
    if (group < 0 && any) {
      const auto own = with(shares, 1), hosted = options_.hosting || !own ? with(shares, 0) : std::nullopt;
      return own && !(hosted && better(*hosted, *own)) ? own : hosted;
    }
    std::vector<core_bounds> items = bounds_;
    long long least = std::max(0, group);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (shares[i]) items[i] = {0, 0};
      if (items[i].lower > items[i].upper) return std::nullopt;
      least += items[i].lower;
    }
    if (least > cores_) return std::nullopt;
    return divided(items, std::max(0, group));
  }

  // A record alone is as fast in the group as on one core of its component's own: who shares is whoever gets none.
  std::optional<candidate> free_choice(const std::vector<bool>& shares) {
    std::vector<core_bounds> items = bounds_;
    long long least = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].lower < 2) items[i].lower = 0;
      if (shares[i]) items[i] = {0, 0};
      least += items[i].lower;
    }
    std::optional<candidate> own, hosted;
    if (least + 1 <= cores_) own = divided(items, 1);
    if (least <= cores_ && (options_.hosting || !own)) hosted = divided(items, 0);
    return own && !(hosted && better(*hosted, *own)) ? own : hosted;
  }

  std::optional<candidate> divided(const std::vector<core_bounds>& items, int group) {
    const gained given = marginal_gain(way_, items, cores_ - group, [&](int i, int cores) {
      return curves_[static_cast<std::size_t>(i)].at(cores).seconds;
    });
    candidate made;
    made.next = given.next;
    int left = cores_, members = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const int cores = given.cores[i];
      made.counts.components.push_back({cores, cores > 0 ? curves_[i].at(cores).width : 1});
      left -= cores;
      members += cores == 0;
    }
    if (members > 0) {
      made.counts.shared = std::min(members, left);
      if (left == 0 && !choose_host(made.counts)) return std::nullopt;
    }
    made.cost = cost_of(view_, made.counts, rate_, way_, times_);
    made.bottleneck = expected_times(made.counts, times_).bottleneck;
    if (rate_ * made.bottleneck > busiest) return std::nullopt;
    return made;
  }

  // The owner that is the fastest with the group.
  bool choose_host(core_counts& counts) {
    double group = 0, least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < size_; ++i)
      if (counts.components[static_cast<std::size_t>(i)].cores == 0) group += one_core(i);
    for (int i = 0; i < size_; ++i) {
      const auto [cores, width] = counts.components[static_cast<std::size_t>(i)];
      if (cores == 0) continue;
      const double seconds = times_[static_cast<std::size_t>(i)].seconds_hosting(cores, width, group);
      if (seconds < least) least = seconds, counts.host = i;
    }
    return counts.host >= 0;
  }

  const system_view& view_;
  int cores_, size_;
  double rate_;
  throughput_options options_;
  passage way_;
  std::vector<component_times> times_;
  std::vector<sojourn_curve> curves_;  // by component
  std::vector<core_bounds> bounds_;    // by component
  std::vector<int> order_;             // those that may share or own, by ascending time on one core
  double room_;                        // seconds per network input that a group on one core may take
};

}  // namespace

double latency_cost(const system_view& view, const allotment& given, double rate) {
  std::vector<component_times> times = times_of(view);
  return cost_of(view, counts_of(given), rate, passage(view), times);
}

core_counts latency_counts(const system_view& view, double rate, const throughput_options& options) {
  if (view.components.empty()) return {};
  require_minima(view);
  if (auto best = division(view, rate, options).best()) return *best;
  return throughput_counts(view, options);
}

}  // namespace weir

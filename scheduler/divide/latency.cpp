#include "scheduler/divide/latency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <weir/scheduler/divide/throughput.hpp>
#include "scheduler/divide/marginal_gain.hpp"
#include "scheduler/expect/fair_group.hpp"
#include "scheduler/expect/sojourn_curve.hpp"

namespace weir {
namespace {

struct latency_candidate {
  core_counts counts;
  double cost = 0;
  double bottleneck = 0;
  double next = 0;  // marginal_gain's
};

// Divisions where some components share and all others own cores.
class latency_division {
 public:
  latency_division(const system_view& view, double rate, const throughput_options& options)
      : view_(view),
        cores_(view.cores.size()),
        size_(static_cast<int>(view.components.size())),
        few_(size_ <= (cores_ < 2 * size_ ? 8 : 6)),
        several_(cores_ < 2 * size_ && size_ <= 24),
        pairs_(few_ || (cores_ < size_ && size_ <= 16)),
        rate_(rate),
        options_(options),
        paths_(view),
        times_(times_of(view)),
        shares_(view.components.size()) {
    curves_.reserve(view.components.size());
    for (std::size_t i = 0; i < view.components.size(); ++i) {
      curves_.emplace_back(view.components[i], times_[i], cores_, rate, options,
                           copies_of_record{paths_.copies()[i], paths_.in_batches()[i]});
      if (is_outside(view.components[i])) continue;
      shares_[i] = view.components[i].runs_inline;
      if (!shares_[i] && view.components[i].min_cores < 2) order_.push_back(static_cast<int>(i));
    }
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return one_core(a) < one_core(b); });
    set_limit(busiest / rate);
  }

  // The best division; nothing when no considered division keeps up with the rate.
  std::optional<core_counts> best() {
    consider_groups();
    // A record alone does not notice the bottleneck, which must stay as fast as without sharing.
    if (best_ && rate_ == 0) set_limit(best_->bottleneck * (1 + options_.tie));
    if (!best_ && rate_ == 0) consider_free_choice();
    add_members();
    if (best_ && (few_ || several_) && (worth_sharing() || any_chose_to_share())) change_members();
    if (!best_) return std::nullopt;
    return best_->counts;
  }

 private:
  core_bounds& bounds(int i) { return bounds_[static_cast<std::size_t>(i)]; }
  double one_core(int i) { return times_[static_cast<std::size_t>(i)].seconds(1, 1); }
  int priority(int i) const { return view_.components[static_cast<std::size_t>(i)].priority; }
  bool outside(int i) const { return times_[static_cast<std::size_t>(i)].outside() > 0; }
  bool is_member(const gained& given, int i) const {
    return given.cores[static_cast<std::size_t>(i)] == 0 && !outside(i);
  }
  // The most cores that a component of the shared group can use.
  int lanes(int i) const {
    return limits_of(view_.components[static_cast<std::size_t>(i)], cores_, options_).group_lanes;
  }

  void set_limit(double seconds) {
    limit_ = seconds;
    bounds_.clear();
    for (sojourn_curve& curve : curves_) {
      curve.set_limit(seconds);
      bounds_.push_back(curve.bounds());
    }
  }

  // If two cost nearly the same, the one with the faster bottleneck is better.
  bool better(const latency_candidate& a, const latency_candidate& b) const {
    if (a.cost < b.cost * (1 - options_.tie)) return true;
    return a.cost <= b.cost && a.bottleneck < b.bottleneck;
  }

  bool consider(std::optional<latency_candidate> one) {
    if (!one || one->bottleneck > limit_ || (best_ && !better(*one, *best_))) return false;
    best_ = std::move(one);
    best_shares_ = shares_;
    return true;
  }

  bool any_chose_to_share() const {
    return std::any_of(order_.begin(), order_.end(), [&](int i) { return best_shares_[static_cast<std::size_t>(i)]; });
  }

  // Whether the cores that members could give up may save more than counts as equal. It considers the members whose
  // time on one core fits into a group of one core.
  bool worth_sharing() {
    if (!best_) return true;
    double room = limit_;
    int freed = 0;
    for (int i : order_) {
      room -= one_core(i);
      if (room < 0) break;
      freed += std::max(1, bounds(i).lower);
    }
    return best_->next * freed > options_.tie * best_->cost;
  }

  // Adds members, in steps that grow, because the cost depends smoothly on their number where they are many.
  void add_members() {
    int in_vain = 0, added = 0, step = 1;
    const int most = static_cast<int>(order_.size());
    while (added < most && in_vain < (few_ || several_ ? 3 : 1) && worth_sharing()) {
      const int end = std::min(most, added + step);
      for (; added < end; ++added) shares_[static_cast<std::size_t>(order_[static_cast<std::size_t>(added)])] = true;
      step = std::max(1, added / 4);
      if (consider_groups())
        in_vain = 0;
      else if (best_)
        ++in_vain;
    }
  }

  // Lets one component join or leave the group, or two do so, or one replace another, as long as that helps. Two or
  // three rounds are usual. The best after the last round stays, and NaN never helps.
  void change_members() {
    constexpr int most_rounds = 100;
    bool helped = true;
    for (int round = 0; helped && round < most_rounds; ++round) {
      helped = false;
      for (std::size_t a = 0; a < order_.size(); ++a)
        for (std::size_t b = a; b < (pairs_ ? order_.size() : a + 1); ++b) {
          shares_ = best_shares_;
          const auto i = static_cast<std::size_t>(order_[a]), j = static_cast<std::size_t>(order_[b]);
          shares_[i] = !shares_[i];
          if (i != j) shares_[j] = !shares_[j];
          helped = consider_groups() || helped;
        }
    }
  }

  // Considers the present members as a group, first with as many cores as keep within the limit, then with more as long
  // as that helps. Last it considers them without a core of their own.
  bool consider_groups() {
    std::vector<core_bounds> items = bounds_;
    double work = 0;
    int sharing = 0;  // cores that the members can use
    for (int i = 0; i < size_; ++i) {
      if (!shares_[static_cast<std::size_t>(i)]) continue;
      sharing = std::min(cores_, sharing + lanes(i));
      if (times_[static_cast<std::size_t>(i)].at_most_lanes() > limit_) return false;
      items[static_cast<std::size_t>(i)] = {0, 0};
      work += one_core(i);
    }
    if (sharing == 0) return consider(divided(bounds_, 0));
    bool helped = false;
    int least = 1;
    while (least <= sharing && work / least > limit_) ++least;  // an infinite or NaN sum never fits
    for (int group = least; group <= sharing; ++group) {
      const bool now = consider(divided(items, group));
      helped = helped || now;
      if (!now && group > least) break;
    }
    if (work <= limit_ && (options_.hosting || !best_)) helped = consider(divided(items, 0)) || helped;
    return helped;
  }

  // A record alone is as fast in the group as on one own core, so any component that gets no core may share.
  void consider_free_choice() {
    std::vector<core_bounds> items = bounds_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].lower < 2) items[i].lower = 0;
      if (shares_[i]) items[i] = {0, 0};
    }
    const std::vector<bool> before = shares_;
    for (int group : {1, 0}) {
      std::optional<latency_candidate> one =
          options_.hosting || group > 0 || !best_ ? divided(items, group) : std::nullopt;
      if (!one) continue;
      for (std::size_t i = 0; i < items.size(); ++i)
        shares_[i] = one->counts.components[i].cores == 0 && !outside(static_cast<int>(i));
      consider(std::move(one));
      shares_ = before;
    }
  }

  // The best division within bounds when the group has `group` cores; nothing when there is none.
  std::optional<latency_candidate> divided(const std::vector<core_bounds>& items, int group) {
    const auto own = [&](int i, int cores) { return curves_[static_cast<std::size_t>(i)].at(cores).seconds; };
    if (!fits(items, group)) return std::nullopt;
    gained given = marginal_gain(paths_, items, cores_ - group, own);
    int sharing = 0;
    for (int i = 0; i < size_; ++i)
      if (is_member(given, i)) sharing = std::min(cores_, sharing + lanes(i));
    const int left = cores_ - std::accumulate(given.cores.begin(), given.cores.end(), 0);
    if (sharing == 0 || left > 0) return made_of(given, std::min(sharing, left), -1, {});
    // Otherwise the group lies on the owner that is fastest with it, which may then need more cores.
    hosted_group guests;
    std::vector<double> sojourn;
    for (int i = 0; i < size_; ++i) sojourn.push_back(own(i, given.cores[static_cast<std::size_t>(i)]));
    const std::vector<double> weights = paths_.weights(sojourn, std::numeric_limits<double>::infinity());
    fair_group members;
    for (int i = 0; i < size_; ++i)
      if (is_member(given, i)) {
        component_times& times = times_[static_cast<std::size_t>(i)];
        guests.seconds += one_core(i);
        const double records = rate_ * view_.components[static_cast<std::size_t>(i)].visits;
        const offered_load load =
            records > 0 ? offered_load{records, times.invocation(1), times.variation(1)} : offered_load{};
        guests.members.add(load);
        members.add(load, priority(i));
      }
    double waits = 0;
    const std::vector<double> parts = members.parts(1);
    for (std::size_t i = 0, next = 0; i < weights.size(); ++i)
      if (is_member(given, static_cast<int>(i))) waits += weights[i] * parts[next++];
    std::optional<latency_candidate> best;
    for (const int host : likely_hosts(given, guests.seconds)) {
      std::vector<core_bounds> with_host = items;
      for (std::size_t i = 0; i < items.size(); ++i)
        if (given.cores[i] == 0) with_host[i] = {0, 0};
      const double weight = weights[static_cast<std::size_t>(host)];
      guests.waits = weight > 0 ? waits / weight : 0;
      sojourn_curve& curve = curves_[static_cast<std::size_t>(host)];
      with_host[static_cast<std::size_t>(host)] = curve.bounds_hosting(guests);
      if (!fits(with_host, 0)) continue;
      std::vector<double> hosting(static_cast<std::size_t>(cores_ + 1), -1.0);
      const gained again = marginal_gain(paths_, with_host, cores_, [&](int i, int cores) {
        if (i != host) return own(i, cores);
        double& kept = hosting[static_cast<std::size_t>(cores)];
        return kept < 0 ? kept = curve.hosting(cores, guests).seconds : kept;
      });
      std::optional<latency_candidate> one = made_of(again, 0, host, guests);
      // Only now are the cores of all others known, and so how the host's lanes divide the wait.
      if (rate_ > 0 && (few_ || several_)) try_widths(*one);
      if (!best || better(*one, *best)) best = std::move(one);
    }
    return best;
  }

  // Tries other numbers of lanes for the host.
  void try_widths(latency_candidate& hosted) {
    const auto host = static_cast<std::size_t>(hosted.counts.host);
    const share_limits limits = limits_of(view_.components[host], cores_, options_);
    visit_widths(hosted.counts.components[host].cores, limits, [&](int width) {
      core_counts tried = hosted.counts;
      tried.components[host].width = width;
      if (const double cost = latency_cost(view_, tried, rate_, paths_, times_); cost < hosted.cost) {
        hosted.counts = tried;
        hosted.cost = cost;
      }
    });
    hosted.bottleneck = expected_times(hosted.counts, times_).bottleneck;
  }

  bool fits(const std::vector<core_bounds>& items, int group) const {
    long long least = group;
    for (const core_bounds& b : items) {
      if (b.lower > b.upper) return false;
      least += b.lower;
    }
    return least <= cores_;
  }

  // The owners that are fastest with the group on the cores they have, as many as there is time to try.
  std::vector<int> likely_hosts(const gained& given, double group) {
    std::vector<std::pair<double, int>> owners;  // seconds
    for (std::size_t i = 0; i < given.cores.size(); ++i)
      if (const int cores = given.cores[i]; cores > 0)
        owners.emplace_back(times_[i].seconds_hosting(cores, curves_[i].at(cores).width, group), static_cast<int>(i));
    const std::size_t tried = std::min<std::size_t>(owners.size(), few_ ? 8 : pairs_ ? 3 : 1);
    std::partial_sort(owners.begin(), owners.begin() + static_cast<std::ptrdiff_t>(tried), owners.end());
    std::vector<int> likely;
    for (std::size_t k = 0; k < tried; ++k) likely.push_back(owners[k].second);
    return likely;
  }

  latency_candidate made_of(const gained& given, int shared, int host, const hosted_group& guests) {
    latency_candidate made;
    made.next = given.next;
    made.counts.shared = shared;
    made.counts.host = host;
    for (int i = 0; i < size_; ++i) {
      const int cores = given.cores[static_cast<std::size_t>(i)];
      sojourn_curve& curve = curves_[static_cast<std::size_t>(i)];
      const int width = cores == 0 ? 1 : i == host ? curve.hosting(cores, guests).width : curve.at(cores).width;
      made.counts.components.push_back({cores, width});
    }
    made.cost = latency_cost(view_, made.counts, rate_, paths_, times_);
    made.bottleneck = expected_times(made.counts, times_).bottleneck;
    return made;
  }

  const system_view& view_;
  int cores_, size_;
  // The extent of the search. With `few_` components every owner is tried as a host. With `several_`, where cores are
  // scarce and divisions are quick, single components still join or leave the group. With `pairs_`, two may do so
  // together.
  bool few_, several_, pairs_;
  double rate_;
  throughput_options options_;
  record_paths paths_;
  std::vector<component_times> times_;
  std::vector<sojourn_curve> curves_;  // by component
  std::vector<core_bounds> bounds_;    // by component
  std::vector<bool> shares_;           // by component, in the division under consideration
  std::vector<int> order_;             // components that may share or own, by ascending time on one core
  double limit_ = 0;                   // seconds per network input that a bottleneck may take
  std::optional<latency_candidate> best_;
  std::vector<bool> best_shares_;
};

}  // namespace

core_counts latency_counts(const system_view& view, double rate, const throughput_options& options) {
  if (view.components.empty()) return {};
  const auto is_inline = [](const component_view& c) { return c.runs_inline; };
  if (std::none_of(view.components.begin(), view.components.end(), is_inline)) {
    require_minima(view);
  } else {  // inline components ask for nothing
    system_view others = view;
    std::erase_if(others.components, is_inline);
    require_minima(others);
  }
  if (auto best = latency_division(view, rate, options).best()) return *best;
  return throughput_counts(view, options);
}

}  // namespace weir

#include "scheduler/expect/blocking.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

constexpr double places = 3;    // k C^2
constexpr double hard = 200;    // from this exponent on ten equal components cost only 1 % more than one
constexpr int most_moves = 64;  // of a core: only a few cores change hands, however large the machine
constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double too_little = 1e-9;  // gains that are rounding

// The k of the norm; infinite without variation. Components that take no time, because no record reaches them, do not
// count.
template <typename OneCore, typename Variation>
double exponent_of(const core_counts& given, OneCore one_core, Variation variation) {
  double sum = 0, visited = 0;
  for (std::size_t i = 0; i < given.components.size(); ++i) {
    const core_counts::entry& own = given.components[i];
    if (!(one_core(i) > 0)) continue;
    sum += variation(i, std::max(1, own.cores / own.width));
    visited += 1;
  }
  return sum > 0 ? std::max(1.0, places * visited / sum) : unbounded;
}

// Numbers by index, and the first of the largest.
class largest_first {
 public:
  static constexpr double none = -unbounded;

  explicit largest_first(std::size_t size) : leaves_(std::bit_ceil(std::max<std::size_t>(size, 1))) {
    values_.assign(2 * leaves_, none);
  }

  // A number that is NaN is no candidate.
  void set(std::size_t i, double value) {
    i += leaves_;
    for (values_[i] = std::isnan(value) ? none : value; i > 1; i /= 2)
      values_[i / 2] = std::max(values_[i & ~std::size_t{1}], values_[i | 1]);
  }

  double operator[](std::size_t i) const { return values_[leaves_ + i]; }
  std::size_t largest() const { return below(1); }

  // The largest of all others; i itself where no other is a candidate.
  std::size_t largest_but(std::size_t i) const {
    double most = none;
    std::size_t top = 0;
    for (std::size_t at = leaves_ + i; at > 1; at /= 2) {
      const std::size_t other = at ^ 1;
      if (values_[other] > most || (values_[other] == most && most > none && other < at))
        most = values_[other], top = other;
    }
    return top == 0 ? i : below(top);
  }

 private:
  std::size_t below(std::size_t at) const {
    while (at < leaves_) at = 2 * at + (values_[2 * at] >= values_[2 * at + 1] ? 0 : 1);
    return at - leaves_;
  }

  std::size_t leaves_;
  std::vector<double> values_;  // a binary tree: each is the larger of the two below it
};

// A division of cores, and the cost with one core more or less for each.
class line {
 public:
  line(const system_view& view, const core_counts& counts, std::vector<cost_curve>& curves)
      : curves_(curves),
        cores_(view.cores.size()),
        group_(curves.size()),
        now_{counts, {}, 0, 0, 0, counts.shared},
        gains_(group_ + 1),
        losses_(group_ + 1) {
    for (cost_curve& curve : curves_) one_core_.push_back(curve.one_core());
    for (std::size_t i = 0; i < group_; ++i) {
      now_.used += cores_of(i);
      if (cores_of(i) == 0) join(i, 1);
    }
    for (std::size_t i = 0; i <= group_; ++i)
      if (takes_part(i)) unit_ = std::max(unit_, seconds_of(i, cores_of(i)));
    exponent_ = exponent_of(
        counts, [&](std::size_t i) { return one_core_[i]; },
        [&](std::size_t i, int cores) { return curves_[i].variation(cores); });
    now_.parts.resize(group_ + 1);
  }

  bool is_hard() const { return !(exponent_ < hard) || !(unit_ > 0) || !std::isfinite(unit_); }

  core_counts best() {
    for (std::size_t i = 0; i <= group_; ++i) weigh(i);
    exchange();
    // Each change lowers the sum, and a few usually do. NaN never counts as lower. The state after the last change
    // stays.
    constexpr int most_changes = 1000;
    for (int changes = 0; changes < most_changes; ++changes)
      if (!try_to([this] { return promote(); }) && !try_to([this] { return demote(); })) break;
    return now_.counts;
  }

 private:
  // A part of the sum whose root is the norm.
  struct part {
    double now = 0, more = 0, less = infinite_seconds;  // with a core more, with one less
  };

  struct state {
    core_counts counts;
    std::vector<part> parts;  // by component, last the group
    double group_seconds = 0;
    int members = 0;
    long long lanes = 0;  // cores that the members can use; more than there are where they can use all
    int used = 0;         // cores that are not idle
  };

  core_counts::entry& entry(std::size_t who) { return now_.counts.components[who]; }
  bool is_host(std::size_t who) const { return static_cast<int>(who) == now_.counts.host; }
  int cores_of(std::size_t who) { return who == group_ ? now_.counts.shared : entry(who).cores; }
  bool takes_part(std::size_t who) { return cores_of(who) > 0 && (who != group_ || now_.members > 0); }

  core_bounds bounds_of(std::size_t who) const {
    if (who == group_) return {1, static_cast<int>(std::min<long long>(cores_, now_.lanes))};
    const core_bounds b = curves_[who].bounds();
    return {std::max(1, b.lower), b.upper};
  }

  cost_curve::point point_of(std::size_t who, int cores) {
    return is_host(who) ? curves_[who].hosting(cores, now_.group_seconds) : curves_[who].at(cores);
  }

  double seconds_of(std::size_t who, int cores) {
    if (who != group_) return point_of(who, cores).seconds;
    return std::max(now_.group_seconds / cores, slowest_member());
  }

  double slowest_member() {
    if (slowest_ >= 0) return slowest_;
    slowest_ = 0;
    for (std::size_t i = 0; i < group_; ++i)
      if (cores_of(i) == 0) slowest_ = std::max(slowest_, curves_[i].at_most_lanes());
    return slowest_;
  }

  double part_of(std::size_t who, int cores) { return std::pow(seconds_of(who, cores) / unit_, exponent_); }

  std::size_t largest_member() {
    std::size_t largest = group_;
    for (std::size_t i = 0; i < group_; ++i)
      if (cores_of(i) == 0 && (largest == group_ || one_core_[i] > one_core_[largest])) largest = i;
    return largest;
  }

  void weigh(std::size_t who) {
    part& p = now_.parts[who];
    p = {};
    if (takes_part(who)) {
      const core_bounds b = bounds_of(who);
      const int cores = cores_of(who);
      p.now = p.more = part_of(who, cores);
      if (cores < b.upper) p.more = part_of(who, cores + 1);
      if (cores > b.lower) p.less = part_of(who, cores - 1);
    } else if (who == group_ && now_.counts.host >= 0 && now_.members > 0) {
      p.now = p.more = part_of(who, 1);  // it has the host's core when the host does not need it
    }
    weighed_.push_back(who);
    rank(who);
  }

  void rank(std::size_t who) {
    const part& p = now_.parts[who];
    gains_.set(who, p.now - p.more);
    losses_.set(who, p.now - p.less);
  }

  double sum() const {
    double all = 0;
    for (const part& p : now_.parts) all += p.now;
    return all;
  }

  void give(std::size_t who, int cores) {
    if (who == group_) {
      now_.counts.shared += cores;
    } else {
      core_counts::entry& e = entry(who);
      e.cores += cores;
      e.width = e.cores > 0 ? point_of(who, e.cores).width : 1;
    }
    now_.used += cores;
    weigh(who);
  }

  // Its part has to be weighed anew, and the group's.
  void own(std::size_t who, core_counts::entry cores) {
    entry(who) = cores;
    slowest_ = -1;
    weigh(who);
  }

  // With `times` 1 it becomes a member of the group, with -1 it leaves.
  void join(std::size_t who, int times) {
    now_.group_seconds += times * one_core_[who];
    now_.members += times;
    now_.lanes += times * curves_[who].group_lanes();
    slowest_ = -1;
  }

  // Takes a core from the one, except `but`, whose loss is least, if that loss is below `limit`. Idle cores come first.
  bool take_one(std::size_t but, double limit) {
    if (now_.used < cores_) return true;
    const std::size_t from = but <= group_ ? losses_.largest_but(but) : losses_.largest();
    if (from == but || !(-losses_[from] < limit)) return false;
    give(from, -1);
    return true;
  }

  void exchange() {
    for (int moves = 0; moves < most_moves; ++moves) {
      const std::size_t to = gains_.largest();
      const double gain = gains_[to];
      if (!(gain > too_little) || !take_one(to, gain * (1 - too_little))) return;
      give(to, 1);
    }
  }

  // Changes the group, then exchanges cores again. Keeps the result where it costs less.
  template <typename Change>
  bool try_to(Change change) {
    before_ = now_;
    weighed_.clear();
    const double was = sum();
    if (change()) {
      weigh(group_);
      exchange();
      if (sum() < was * (1 - too_little)) return true;
    }
    std::swap(now_, before_);
    slowest_ = -1;
    for (const std::size_t who : weighed_) rank(who);
    return false;
  }

  bool promote() {
    const std::size_t who = largest_member();
    if (now_.counts.shared == 0 || now_.members < 2) return false;
    join(who, -1);
    if (now_.counts.shared > now_.lanes)
      --now_.counts.shared;
    else if (weigh(group_); !take_one(group_ + 1, infinite_seconds))
      return false;
    else
      ++now_.used;
    own(who, {1, 1});
    if (now_.members > 1) return true;
    const std::size_t last = largest_member();  // alone, it owns the cores that were the group's
    join(last, -1);
    const int had = std::exchange(now_.counts.shared, 0), cores = std::min(had, bounds_of(last).upper);
    now_.used -= had - cores;
    own(last, {cores, point_of(last, cores).width});
    return true;
  }

  bool demote() {
    std::size_t who = group_;
    for (std::size_t i = 0; i < group_; ++i)
      if (cores_of(i) == 1 && bounds_of(i).lower == 1 && (who == group_ || one_core_[i] < one_core_[who])) who = i;
    if (now_.counts.shared == 0 || who == group_) return false;
    join(who, 1);
    own(who, {});
    --now_.used;
    return true;
  }

  std::vector<cost_curve>& curves_;
  int cores_;
  std::size_t group_;  // its place behind the components
  state now_, before_;
  std::vector<double> one_core_;      // by component, seconds
  largest_first gains_, losses_;      // by place: what a core more saves, and less what one less costs
  std::vector<std::size_t> weighed_;  // since before_
  double slowest_ = -1;               // slowest_member(); negative: not known
  double unit_ = 0;                   // seconds whose part is one
  double exponent_ = unbounded;
};

}  // namespace

double cost_with_blocking(const core_counts& given, std::vector<component_times>& times) {
  const expectation e = expected_times(given, times);
  const double exponent = exponent_of(
      given, [&](std::size_t i) { return times[i].outside() > 0 ? 0 : times[i].seconds(1, 1); },
      [&](std::size_t i, int cores) { return times[i].variation(cores); });
  if (!(exponent < hard) || !(e.bottleneck > 0) || !std::isfinite(e.bottleneck)) return e.bottleneck;
  double sum = std::pow(e.shared / e.bottleneck, exponent);
  for (std::size_t i = 0; i < times.size(); ++i)
    if (given.components[i].cores > 0 || times[i].outside() > 0) sum += std::pow(e.seconds[i] / e.bottleneck, exponent);
  return e.bottleneck * std::pow(sum, 1 / exponent);
}

core_counts balanced(const system_view& view, const core_counts& counts, std::vector<cost_curve>& curves) {
  line all(view, counts, curves);
  return all.is_hard() ? counts : all.best();
}

}  // namespace weir

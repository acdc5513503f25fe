#include "scheduler/blocking.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "scheduler/cost_curve.hpp"

namespace weir {
namespace {

double blocking_places() { static const double v = std::getenv("BK") ? std::atof(std::getenv("BK")) : 3; return v; }
constexpr double hard = 200;  // with such a norm ten equal components cost 1 % more than one

double exponent_of(const core_counts& given, std::vector<component_times>& times) {
  double sum = 0, n = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const core_counts::entry& own = given.components[i];
    if (!times[i].visited()) continue;
    sum += times[i].variation(std::max(1, own.cores / own.width));
    n += 1;
  }
  return sum > 0 ? std::max(1.0, blocking_places() * n / sum) : std::numeric_limits<double>::infinity();
}

class line {
 public:
  line(const system_view& view, const core_counts& counts, const throughput_options& options)
      : now_{counts, 0, 0}, cores_(view.cores.size()) {
    times_ = times_of(view);
    unit_ = expected_times(counts, times_).bottleneck;
    exponent_ = exponent_of(counts, times_);
    for (const component_view& c : view.components) curves_.emplace_back(c, cores_, options);
    for (std::size_t i = 0; i < curves_.size(); ++i)
      if (counts.components[i].cores == 0) join(i);
  }

  bool is_hard() const { return !(exponent_ < hard) || !(unit_ > 0) || !std::isfinite(unit_); }

  core_counts best() {
    exchange();
    for (int tries = 0; tries < 4; ++tries)
      if (!promote() && !demote()) break;
    return now_.counts;
  }

 private:
  struct state {
    core_counts counts;
    double sum = 0;  // of the group's members on one core
    int members = 0;
  };

  static constexpr int group = -1, nobody = -2;

  void join(std::size_t i) {
    const double u = times_[i].seconds(1, 1);
    now_.sum += u;
    ++now_.members;
  }

  double largest_member() {
    double largest = 0;
    for (std::size_t i = 0; i < curves_.size(); ++i)
      if (now_.counts.components[i].cores == 0) largest = std::max(largest, times_[i].seconds(1, 1));
    return largest;
  }

  // Its part of the sum that the norm is of.
  double part(int who, int cores) {
    if (cores < 1) return std::numeric_limits<double>::infinity();
    double seconds;
    if (who == group) seconds = std::max(now_.sum / cores, largest_member());
    else if (who == now_.counts.host) seconds = curves_[static_cast<std::size_t>(who)].hosting(cores, now_.sum).seconds;
    else seconds = curves_[static_cast<std::size_t>(who)].at(cores).seconds;
    return std::pow(seconds / unit_, exponent_);
  }

  int cores_of(int who) const { return who == group ? now_.counts.shared : now_.counts.components[static_cast<std::size_t>(who)].cores; }
  core_bounds bounds_of(int who) const {
    if (who == group) return {1, now_.members};
    core_bounds b = curves_[static_cast<std::size_t>(who)].bounds();
    b.lower = std::max(1, b.lower);
    return b;
  }

  template <typename Visit>
  void visit_items(Visit visit) {
    for (int i = 0; i < static_cast<int>(curves_.size()); ++i)
      if (cores_of(i) > 0) visit(i);
    if (now_.counts.shared > 0 && now_.members > 0) visit(group);
  }

  double sum() {
    double all = 0;
    visit_items([&](int who) { all += part(who, cores_of(who)); });
    return all;
  }

  void give(int who, int cores) {
    if (who == group) { now_.counts.shared += cores; return; }
    core_counts::entry& e = now_.counts.components[static_cast<std::size_t>(who)];
    e.cores += cores;
    if (e.cores > 0)
      e.width = who == now_.counts.host ? curves_[static_cast<std::size_t>(who)].hosting(e.cores, now_.sum).width
                                    : curves_[static_cast<std::size_t>(who)].at(e.cores).width;
  }

  int used() const {
    int all = now_.counts.shared;
    for (const core_counts::entry& e : now_.counts.components) all += e.cores;
    return all;
  }

  // The one whom a core less costs least.
  std::pair<int, double> donor(int but) {
    if (used() < cores_) return {nobody, 0.0};
    std::pair<int, double> least{nobody, std::numeric_limits<double>::infinity()};
    visit_items([&](int who) {
      const int c = cores_of(who);
      if (who == but || c - 1 < bounds_of(who).lower) return;
      const double cost = part(who, c - 1) - part(who, c);
      if (cost < least.second) least = {who, cost};
    });
    return least;
  }

  void exchange() {
    for (int moves = 0; moves < 64; ++moves) {
      std::pair<int, double> most{nobody, 0.0};
      visit_items([&](int who) {
        const int c = cores_of(who);
        if (c + 1 > bounds_of(who).upper) return;
        const double gain = part(who, c) - part(who, c + 1);
        if (gain > most.second) most = {who, gain};
      });
      if (most.first == nobody) return;
      const auto [from, cost] = donor(most.first);
      if (!(most.second > cost * (1 + 1e-9) + 1e-9)) return;
      if (from != nobody) give(from, -1);
      give(most.first, 1);
    }
  }

  bool kept(const state& before, double was) {
    if (sum() < was * (1 - 1e-9)) return true;
    now_ = before;
    return false;
  }

  bool promote() {
    if (now_.counts.shared == 0 || now_.members < 2) return false;
    int who = nobody;
    double largest = -1;
    for (int i = 0; i < static_cast<int>(curves_.size()); ++i)
      if (cores_of(i) == 0)
        if (const double u = times_[static_cast<std::size_t>(i)].seconds(1, 1); u > largest) largest = u, who = i;
    const state before = now_;
    const double was = sum();
    now_.sum -= largest;
    --now_.members;
    if (now_.members < now_.counts.shared) {
      give(group, -1);
    } else {
      const int from = donor(nobody).first;
      if (from != nobody) give(from, -1);
      else if (used() >= cores_) { now_ = before; return false; }
    }
    give(who, 1);
    if (now_.members == 1) {  // a single one owns what the group had
      for (int i = 0; i < static_cast<int>(curves_.size()); ++i)
        if (cores_of(i) == 0) { const int c = now_.counts.shared; now_.counts.shared = 0; now_.members = 0; now_.sum = 0; give(i, c); break; }
    }
    exchange();
    return kept(before, was);
  }

  bool demote() {
    if (now_.counts.shared == 0) return false;
    int who = nobody;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < static_cast<int>(curves_.size()); ++i)
      if (cores_of(i) == 1 && curves_[static_cast<std::size_t>(i)].bounds().lower <= 1)
        if (const double u = times_[static_cast<std::size_t>(i)].seconds(1, 1); u < least) least = u, who = i;
    if (who == nobody) return false;
    const state before = now_;
    const double was = sum();
    give(who, -1);
    join(static_cast<std::size_t>(who));
    exchange();
    return kept(before, was);
  }

  state now_;
  int cores_;
  std::vector<component_times> times_;
  std::vector<cost_curve> curves_;
  double unit_ = 0, exponent_ = 0;
};

}  // namespace

double cost_with_blocking(const core_counts& given, std::vector<component_times>& times) {
  const expectation e = expected_times(given, times);
  const double exponent = exponent_of(given, times);
  if (!(exponent < hard) || !(e.bottleneck > 0) || !std::isfinite(e.bottleneck)) return e.bottleneck;
  double sum = given.host < 0 && e.shared > 0 ? std::pow(e.shared / e.bottleneck, exponent) : 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (given.components[i].cores > 0 && e.seconds[i] > 0) sum += std::pow(e.seconds[i] / e.bottleneck, exponent);
  return e.bottleneck * std::pow(sum, 1 / exponent);
}

core_counts evened(const system_view& view, const core_counts& counts, const throughput_options& options) {
  line all(view, counts, options);
  return all.is_hard() ? counts : all.best();
}

}  // namespace weir

#include "scheduler/control/time_residuals.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "scheduler/control/indexing.hpp"
#include "scheduler/control/squared.hpp"

namespace weir {
namespace {

// The mean of a few ratios says little of their scatter: this many more are assumed, that scatter by a tenth.
constexpr double assumed_count = 4, assumed_scatter = 0.1;
constexpr double drift_in_cores = 0.02;  // of the logarithm, one standard deviation in 100 invocations

constexpr std::size_t most_compared = 64;      // of the last times, in search of another regime
constexpr double errors_apart = 4;             // of a change: fewer come by chance in one of some hundred comparisons
constexpr double least_change = 0.05;          // of the logarithm: smaller ones cost less than to learn anew
constexpr double least_scatter_of_one = 0.03;  // of one logarithm, since a few may be alike by chance
constexpr std::size_t fewest = 4;              // invocations of a regime

constexpr double plausible = 3;  // standard deviations from the nearest of later numbers of cores
constexpr double harm = 0.5;     // of the logarithm: so much longer more cores may well take than fewer

struct moments {
  double count = 0, mean = 0, squares = 0;
  void add(double value) {
    const double d = value - mean;
    mean += d / ++count;
    squares += d * (value - mean);
  }
  double variance() const { return count > 1 ? squares / (count - 1) : 0; }
};

}  // namespace

time_residuals::on_cores& time_residuals::place_of(component& of, int cores) {
  const auto found = std::ranges::find(of.by_cores, cores, &on_cores::cores);
  if (found != of.by_cores.end()) return *found;
  if (of.by_cores.size() == most_cores) of.by_cores.erase(std::ranges::min_element(of.by_cores, {}, &on_cores::latest));
  return of.by_cores.emplace_back(on_cores{cores, {}});
}

void time_residuals::take(const system_view& view) {
  if (components_.size() != view.components.size()) {
    clear();
    for (const component_view& c : view.components) components_.push_back({c.invocations, {}, c.model->x_changes()});
  }
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const component_view& c = view.components[i];
    component& of = components_[i];
    if (of.x_changes != c.model->x_changes())
      of = {c.invocations - std::min<std::uint64_t>(c.invocations, c.recent.size()), {}, c.model->x_changes()};
    const auto fresh = std::min<std::uint64_t>(c.invocations - std::min(of.seen, c.invocations), c.recent.size());
    of.seen = c.invocations;
    std::uint64_t number = c.invocations - fresh;
    for (auto s = c.recent.end() - static_cast<std::ptrdiff_t>(fresh); s != c.recent.end(); ++s) {
      std::deque<sample>& last = place_of(of, s->cores).last;
      last.push_back({s->x, s->seconds, ++number});
      if (last.size() > most_times) last.pop_front();
    }
  }
}

// Compares the last 4, 8, 16, .. times with those before on the same cores (Welch's t, Biometrika 34, 1947).
void time_residuals::forget_other_regime(const component_view& c, component& of) {
  if (of.by_cores.empty()) return;
  const on_cores& now = *std::ranges::max_element(of.by_cores, {}, &on_cores::latest);
  const std::size_t compared = std::min(now.last.size(), most_compared), first = now.last.size() - compared;
  std::vector<double> ratios;
  for (std::size_t i = first; i < now.last.size(); ++i) {
    const double expected = c.model->mean(now.last[i].x, now.cores), seconds = now.last[i].seconds;
    ratios.push_back(expected > 0 && seconds > 0 ? std::log(seconds / expected) : 0);
  }
  for (std::size_t last = fewest; last + fewest <= compared; last *= 2) {
    moments before, after;
    for (std::size_t i = 0; i < compared; ++i) (i + last < compared ? before : after).add(ratios[i]);
    const double variance = std::max({before.variance(), after.variance(), squared(least_scatter_of_one)});
    const double error = std::sqrt(variance * (1 / before.count + 1 / after.count));
    if (std::abs(after.mean - before.mean) < std::max(least_change, errors_apart * error)) continue;
    const std::uint64_t begin = now.last[first + compared - last].number;
    for (on_cores& o : of.by_cores) std::erase_if(o.last, [&](const sample& s) { return s.number < begin; });
    std::erase_if(of.by_cores, [](const on_cores& o) { return o.last.empty(); });
    return;
  }
}

std::vector<residual> time_residuals::residuals(const component_view& c, const component& of, int now) {
  std::vector<const on_cores*> latest_first;
  for (const on_cores& o : of.by_cores) latest_first.push_back(&o);
  std::ranges::sort(latest_first, std::greater{}, &on_cores::latest);
  std::vector<residual> all;
  for (const on_cores* o : latest_first) {
    double seconds = 0, expected = 0;
    moments ratios;
    for (const sample& s : o->last)
      if (const double by_model = c.model->mean(s.x, o->cores); by_model > 0) {
        seconds += s.seconds;
        expected += by_model;
        ratios.add(s.seconds / by_model);
      }
    if (!(expected > 0 && seconds > 0)) continue;
    const double scatter = (ratios.squares / squared(ratios.mean) + assumed_count * squared(assumed_scatter)) /
                           (ratios.count - 1 + assumed_count);
    const double age = o->cores == now ? 0 : static_cast<double>(c.invocations - o->latest());
    residual is{o->cores, std::log(seconds / expected), scatter / ratios.count + squared(drift_in_cores) * age / 100};
    const auto apart = [&](const residual& later) { return residual_belief::deviation(is, later); };
    const auto nearest = std::ranges::min_element(all, {}, apart);
    if (nearest != all.end() && o->cores != now) {
      const residual &more = is.cores > nearest->cores ? is : *nearest,
                     &fewer = is.cores > nearest->cores ? *nearest : is;
      const double harmed = more.log_ratio - fewer.log_ratio, deviation = apart(*nearest);
      const double needed = (harmed > 0 ? std::max(0.0, harmed - harm) : -harmed) / plausible;
      if (needed > deviation) is.variance += squared(needed) - squared(deviation);
    }
    all.push_back(is);
  }
  return all;
}

std::vector<residual_belief> time_residuals::beliefs(const system_view& view) {
  std::vector<residual_belief> all;
  all.reserve(components_.size());
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const component_view& c = view.components[i];
    forget_other_regime(c, components_[i]);
    const int now = cores_of_invocation(view.current.components[i]);
    const std::vector<residual> seen = residuals(c, components_[i], now);
    all.emplace_back(seen, now, view.cores.size(), c.model->cores_known().alpha_known);
    if (seen.size() > 1)
      all.back().expect_minimum(seen, [&](int p) { return std::log(c.model->mean(c.recent.back().x, p)); });
  }
  return all;
}

}  // namespace weir

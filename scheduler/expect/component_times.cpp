#include "scheduler/expect/component_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir {
namespace {

constexpr std::size_t groups = 8;
constexpr double shortest = 1e-12;  // predictions of 0 or less must not cause a division by zero

// Beyond the numbers of cores seen a model only guesses. So no more is believed than that the work is shared by all of
// the cores; and where fewer cores seem to be no slower, the opposite: a look finds out (control/exploration.cpp).
double least_by_what_was_seen(const estimator& model, const known_cores& seen, double x, int cores) {
  if (cores > seen.largest && seen.largest > 0) return model.mean(x, seen.largest) * seen.largest / cores;
  if (cores >= seen.smallest) return 0;
  const double there = model.mean(x, seen.smallest);
  return model.mean(x, cores) > there ? 0 : there * seen.smallest / cores;
}

// The middle of the model's range of x; NaN when nothing was observed.
double middle_input(const component_view& component) {
  const description d = component.model->describe();
  return d.observations > 0 ? (d.smallest_x + d.largest_x) / 2 : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::pair<double, double>> typical_inputs(const component_view& component) {
  if (component.recent.empty()) return {{middle_input(component), 1.0}};
  const double first = component.recent.front().x;
  const auto is_first = [&](const invocation_sample& s) { return s.x == first; };
  if (std::all_of(component.recent.begin(), component.recent.end(), is_first)) return {{first, 1.0}};
  std::vector<double> xs;
  xs.reserve(component.recent.size());
  for (const invocation_sample& s : component.recent) xs.push_back(s.x);
  std::sort(xs.begin(), xs.end());
  const std::size_t parts = std::min(groups, xs.size());
  std::vector<std::pair<double, double>> result;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t from = i * xs.size() / parts, to = (i + 1) * xs.size() / parts;
    double sum = 0;
    for (std::size_t j = from; j < to; ++j) sum += xs[j];
    const auto n = static_cast<double>(to - from);
    result.emplace_back(sum / n, n / static_cast<double>(xs.size()));
  }
  return result;
}

}  // namespace

component_times::component_times(const component_view& component) : component_(component) {
  if (component.visits <= 0) return;
  for (const typical_input& one : component.inputs) inputs_.emplace_back(one.x, one.weight);
  if (inputs_.empty()) inputs_ = typical_inputs(component);
}

bool is_observed(const component_view& component) {
  if (component.visits <= 0) return true;
  const double x = component.recent.empty() ? middle_input(component) : component.recent.back().x;
  return std::isfinite(x) && std::isfinite(component.model->mean(x, 1));
}

bool component_times::observed() {
  if (observed_ < 0) observed_ = is_observed(component_);
  return observed_ > 0;
}

component_times::moments component_times::predicted(int cores) const {
  double mean = 0, square = 0;
  const known_cores seen = component_.model->cores_known();
  for (auto [x, weight] : inputs_) {
    const prediction one = component_.model->predict(x, cores);
    const double seconds = std::max({one.mean, shortest, least_by_what_was_seen(*component_.model, seen, x, cores)});
    const double spread = std::isfinite(one.spread) ? one.spread : 0;
    mean += weight * seconds;
    square += weight * (seconds * seconds + spread * spread);
  }
  if (std::isnan(mean)) return {std::numeric_limits<double>::infinity(), 0};
  return {mean * component_.time_factor, mean > 0 ? std::max(0.0, square / (mean * mean) - 1) : 0};
}

double component_times::in_lane(int cores, int width) {
  return component_.visits <= 0 ? 0 : width / rate(cores, width);
}

double component_times::seconds_hosting(int cores, int width, double group) {
  if (component_.visits <= 0) return group;
  const double all = rate(cores, width);
  const double lane = invocation((cores + width - 1) / width);
  return std::max((component_.visits + group / lane) / all, group);
}

}  // namespace weir

#include "scheduler/expect/component_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

constexpr std::size_t groups = 8;

// The middle of the model's range of x; NaN when nothing was observed.
double middle_input(const component_view& component) {
  if (component.model->cores_known().largest == 0) return std::numeric_limits<double>::quiet_NaN();
  const description d = component.model->describe();
  return d.observations > 0 ? (d.smallest_x + d.largest_x) / 2 : std::numeric_limits<double>::quiet_NaN();
}

std::vector<typical_input> typical_inputs(const component_view& component) {
  if (component.recent.empty()) return {{middle_input(component), 1.0}};
  const double first = component.recent.front().x;
  const auto is_first = [&](const invocation_sample& s) { return s.x == first; };
  if (std::all_of(component.recent.begin(), component.recent.end(), is_first)) return {{first, 1.0}};
  std::vector<double> xs;
  xs.reserve(component.recent.size());
  for (const invocation_sample& s : component.recent) xs.push_back(s.x);
  std::sort(xs.begin(), xs.end());
  const std::size_t parts = std::min(groups, xs.size());
  std::vector<typical_input> result;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t from = i * xs.size() / parts, to = (i + 1) * xs.size() / parts;
    double sum = 0;
    for (std::size_t j = from; j < to; ++j) sum += xs[j];
    const auto n = static_cast<double>(to - from);
    result.push_back({sum / n, n / static_cast<double>(xs.size())});
  }
  return result;
}

}  // namespace

void component_times::begin(const component_view& component) {
  component_ = &component;
  means_.clear();
  variations_.clear();
  observed_ = -1;
  if (component.visits <= 0) return;
  if (component.inputs.empty()) own_inputs_ = typical_inputs(component);
  sums_ = component.model->sums_over(inputs());
  seen_ = component.model->cores_known();
}

std::span<const typical_input> component_times::inputs() const {
  if (component_->visits <= 0) return {};
  return component_->inputs.empty() ? own_inputs_ : component_->inputs;
}

double component_times::predicted(int cores) {
  if (!sums_) return predicted_moments(cores).mean;
  const double mean = component_->model->mean_of(*sums_, cores);
  return means_[cores] = std::isnan(mean) ? infinite_seconds : cautious(mean * component_->time_factor, cores);
}

double component_times::cautious(double seconds, int cores) {
  if (seen_.largest > 0 && cores > seen_.largest)
    return std::max(seconds, invocation(seen_.largest) * seen_.largest / cores);
  if (cores >= seen_.smallest) return seconds;
  const double there = invocation(seen_.smallest);
  return seconds > there ? seconds : there * seen_.smallest / cores;
}

component_times::expected component_times::predicted_moments(int cores) {
  const auto [mean, square] = component_->model->moments(inputs(), cores);
  const expected result = std::isnan(mean) ? expected{infinite_seconds, 0}
                                           : expected{cautious(mean * component_->time_factor, cores),
                                                      mean > 0 ? std::max(0.0, square / (mean * mean) - 1) : 0};
  variations_[cores] = result.variation;
  if (!sums_) means_[cores] = result.mean;  // else the sums tell, which differ by rounding
  return result;
}

bool is_observed(const component_view& component) {
  if (component.visits <= 0) return true;
  const double x = component.recent.empty() ? middle_input(component) : component.recent.back().x;
  return std::isfinite(x) && std::isfinite(component.model->mean(x, 1));
}

bool component_times::observed() {
  if (observed_ < 0) observed_ = is_observed(*component_);
  return observed_ > 0;
}

double component_times::in_lane(int cores, int width) {
  return component_->visits <= 0 ? 0 : seconds_in_lanes(cores, width, [this](int lane) { return invocation(lane); });
}

double component_times::seconds_hosting(int cores, int width, double group) {
  if (component_->visits <= 0) return group;
  const double all = rate(cores, width);
  const double lane = invocation((cores + width - 1) / width);
  return std::max((component_->visits + group / lane) / all, group);
}

}  // namespace weir

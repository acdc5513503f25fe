#include "scheduler/devices/implementation_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir {

std::size_t implementation_model::place_of(int in_use) {
  return static_cast<std::size_t>(std::clamp(in_use, 1, static_cast<int>(most_factors))) - 1;
}

void implementation_model::observe(double x, int cores, int in_use, double seconds) {
  constexpr double window = 64;  // of the means
  observation o;
  o.x = x;
  o.cores = cores;
  const std::size_t place = place_of(in_use);
  double& factor = factors_[place];
  if (in_use > 1 && is_known()) {
    const double alone = model_->mean(x, cores);
    // Invocations that share a device fairly take as many times as long as there are of them, at most.
    const double weight = 1 / std::min(window, static_cast<double>(++compared_[place]));
    if (alone > 0) factor = std::clamp(factor + weight * (seconds / alone - factor), 1.0, static_cast<double>(in_use));
  }
  o.seconds = seconds / factor;
  if (!is_usable(o)) return;
  model_->observe(o);
  ++seen_;
  total_ += seconds;
  mean_ += (seconds - mean_) / std::min(window, static_cast<double>(seen_));
}

double implementation_model::expected(double x, int cores, int in_use) const {
  if (!is_known()) return 0;
  const double alone = model_->mean(x, cores);
  return std::isfinite(alone) ? alone * factors_[place_of(in_use)] : mean_;
}

double crossing_point(const implementation_model& on_cores, int cores, const implementation_model& on_device) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (!on_cores.is_known() || !on_device.is_known()) return none;
  const description c = on_cores.model().describe(), d = on_device.model().describe();
  double low = std::min(c.smallest_x, d.smallest_x), high = std::max(c.largest_x, d.largest_x);
  const auto gain = [&](double x) { return on_cores.expected(x, cores, 1) - on_device.expected(x, 1, 1); };
  if (!(low < high) || !(gain(low) < 0) || !(gain(high) > 0)) return none;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = low + (high - low) / 2;
    (gain(middle) < 0 ? low : high) = middle;
  }
  return high;
}

}  // namespace weir

#include "scheduler/devices/implementation_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir {

std::size_t implementation_model::place_of(int in_use) {
  return static_cast<std::size_t>(std::clamp(in_use, 1, static_cast<int>(most_factors))) - 1;
}

void implementation_model::observe(double x, int cores, int in_use, double seconds, std::size_t records) {
  constexpr double window = 64;  // of the means
  const auto number = static_cast<double>(records);
  observation o;
  o.x = x;
  o.cores = cores;
  const std::size_t place = place_of(in_use);
  double& factor = factors_[place];
  if (in_use > 1 && is_known()) {
    const double alone = alone_seconds(x, cores, records);
    // Invocations that share a device fairly take as many times as long as there are of them, at most.
    const double weight = 1 / std::min(window, static_cast<double>(++compared_[place]));
    if (alone > 0) factor = std::clamp(factor + weight * (seconds / alone - factor), 1.0, static_cast<double>(in_use));
  }
  o.seconds = seconds / factor;
  if (!is_usable(o)) return;
  if (takes_batches()) {
    sizes_.note(records, o.seconds / number, false, longest_);
    o.seconds /= sizes_.seconds_of(records);
  }
  model_->observe(o);
  ++seen_;
  records_ += records;
  total_ += seconds;
  mean_ += (seconds / number - mean_) / std::min(window, static_cast<double>(seen_));
}

double implementation_model::alone_seconds(double x, int cores, std::size_t records) const {
  return model_->mean(x, cores) * (takes_batches() ? sizes_.seconds_of(records) : 1);
}

double implementation_model::expected(double x, int cores, int in_use, std::size_t records) const {
  if (!is_known()) return 0;
  const double alone = alone_seconds(x, cores, records);
  return std::isfinite(alone) ? alone * factors_[place_of(in_use)] : mean_ * static_cast<double>(records);
}

double crossing_point(const implementation_model& on_cores, int cores, const implementation_model& on_device) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (!on_cores.is_known() || !on_device.is_known()) return none;
  const description c = on_cores.model().describe(), d = on_device.model().describe();
  double low = std::min(c.smallest_x, d.smallest_x), high = std::max(c.largest_x, d.largest_x);
  const auto of_a_record = [](const implementation_model& m, double x, int on) {
    const std::size_t size = m.sizes().preferred();
    return m.expected(x, on, 1, size) / static_cast<double>(size);
  };
  const auto gain = [&](double x) { return of_a_record(on_cores, x, cores) - of_a_record(on_device, x, 1); };
  if (!(low < high) || !(gain(low) < 0) || !(gain(high) > 0)) return none;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = low + (high - low) / 2;
    (gain(middle) < 0 ? low : high) = middle;
  }
  return high;
}

}  // namespace weir

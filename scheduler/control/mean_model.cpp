#include "scheduler/control/mean_model.hpp"

#include <algorithm>
#include <limits>

namespace weir {

void mean_model::observe(const observation& seen) {
  if (!is_usable(seen)) return;
  seen_.add(seen);
  const double on_one = seen.seconds / share(static_cast<int>(seen.cores));
  sequential_ += (on_one - sequential_) / static_cast<double>(seen_.observations);
}

double mean_model::mean(double, int cores) const {
  if (seen_.observations == 0) return std::numeric_limits<double>::quiet_NaN();
  return sequential_ * share(std::max(cores, 1));
}

prediction mean_model::predict(double x, int cores) const {
  if (seen_.observations == 0) return nothing_known();
  const double seconds = mean(x, cores);
  return {.mean = seconds,
          .spread = seconds,
          .alpha = optimistic_alpha,
          .sequential = sequential_,
          .confidence = 0,
          .extrapolates = true};
}

time_moments mean_model::moments(std::span<const typical_input> inputs, int cores) const {
  const double seconds = std::max(mean(0, cores), shortest_time);
  time_moments sum;
  for (const typical_input& i : inputs) sum.mean += i.weight * seconds, sum.square += 2 * i.weight * seconds * seconds;
  return sum;
}

std::optional<input_sums> mean_model::sums_over(std::span<const typical_input> inputs) const {
  if (seen_.observations == 0) return std::nullopt;
  input_sums sums;
  for (const typical_input& i : inputs) sums.work += i.weight * sequential_;
  return sums;
}

double mean_model::mean_of(const input_sums& sums, int cores) const {
  return std::max(sums.work * share(std::max(cores, 1)), shortest_time);
}

description mean_model::describe() const {
  description out;
  out.alpha = optimistic_alpha;
  if (seen_.observations > 0) out.coefficients = {sequential_};
  out.observations = seen_.observations;
  out.smallest_cores = seen_.smallest_cores;
  out.largest_cores = seen_.largest_cores;
  out.smallest_x = seen_.smallest_x;
  out.largest_x = seen_.largest_x;
  out.words = in_words(out);
  return out;
}

}  // namespace weir

#include "bench/measurements/real_devices/placement_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace {

std::vector<way> fixed_ways(const std::vector<int>& sides, int thresholds) {
  std::vector<way> ways{{"all cores", false, std::nullopt}, {"all device", true, 0.0}};
  const double low = sides.front(), high = sides.back();
  for (int t = 1; t <= thresholds; ++t) {
    const double at = std::round(low * std::pow(high / low, static_cast<double>(t) / (thresholds + 1)));
    ways.push_back({fmt::format("device from {:.0f}", at), true, at});
  }
  return ways;
}

// The mean of a record, where cores and device share the records without waiting.
double expected_seconds(const way& by, const std::vector<int>& sides, const measured_costs& costs, int cores,
                        double device_factor) {
  double on_cores = 0, on_device = 0;
  for (const int side : sides)
    if (by.has_device && side >= by.from.value_or(0))
      on_device += costs.on_device(side) * device_factor;
    else
      on_cores += costs.on_cores(side) / cores;
  return std::max(on_cores, on_device) / static_cast<double>(sides.size());
}

}  // namespace

std::vector<int> sides_around(double middle, int degree) {
  const double factor = std::pow(8, 1.0 / degree);
  std::vector<int> sides;
  for (int i = 0; i < 24; ++i)
    sides.push_back(std::max(1, static_cast<int>(std::lround(middle * std::pow(factor, (2 * i - 23) / 23.0)))));
  return sides;
}

placement_plan::placement_plan(const std::vector<int>& sides, int thresholds, const measured_costs& costs, int cores,
                               double device_factor) {
  const std::vector<way> all = fixed_ways(sides, thresholds);
  std::vector<double> expected;
  for (const way& one : all) expected.push_back(expected_seconds(one, sides, costs, cores, device_factor));
  const double best = *std::min_element(expected.begin(), expected.end());
  seconds = best;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (expected[i] > 4 * best) {
      left_out.push_back(all[i].name);
    } else {
      ways.push_back(all[i]);
      seconds += expected[i];
    }
}

#include "bench/support/bootstrap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "bench/support/quantile.hpp"

namespace weir::program {

median_interval bootstrap_median(const std::vector<double>& values) {
  if (values.size() < 2) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    return {quantile(values, 0.5), unknown, unknown};
  }
  constexpr int resamples = 10000;
  std::mt19937_64 random(1);
  std::vector<double> medians, drawn(values.size());
  medians.reserve(resamples);
  for (int i = 0; i < resamples; ++i) {
    // The remainder prefers some values by less than one in 10^18. Distributions of the standard library differ between
    // implementations.
    for (double& one : drawn) one = values[random() % values.size()];
    medians.push_back(quantile(drawn, 0.5));
  }
  std::sort(medians.begin(), medians.end());
  return {quantile(values, 0.5), sorted_quantile(medians, 0.025), sorted_quantile(medians, 0.975)};
}

std::string ratio_text(const median_interval& of) {
  if (std::isnan(of.median)) return "-";
  return std::isfinite(of.low) ? fmt::format("{:.2f} [{:.2f} .. {:.2f}]", of.median, of.low, of.high)
                               : fmt::format("{:.2f}", of.median);
}

}  // namespace weir::program

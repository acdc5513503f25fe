#include "bench/measurements/flow_accuracy/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/support/quantile.hpp"

namespace weir::flow_accuracy {

summary summary_of(const std::vector<comparison>& rows) {
  summary s;
  s.rows = rows.size();
  std::vector<double> errors, sizes;
  double within = 0, bounded = 0, sum = 0;
  for (const comparison& c : rows) {
    errors.push_back(c.error_percent());
    sizes.push_back(std::abs(errors.back()));
    within += sizes.back() <= 10;
    bounded += c.seen <= c.predicted;
    sum += c.seen;
  }
  const double n = static_cast<double>(rows.size());
  s.median = program::quantile(errors, 0.5);
  s.p5 = program::quantile(errors, 0.05);
  s.p95 = program::quantile(errors, 0.95);
  s.median_absolute = program::quantile(sizes, 0.5);
  s.within = within / n;
  s.bounded = bounded / n;
  double residual = 0, total = 0;
  for (const comparison& c : rows) {
    residual += (c.seen - c.predicted) * (c.seen - c.predicted);
    total += (c.seen - sum / n) * (c.seen - sum / n);
  }
  s.r_squared = 1 - residual / total;
  return s;
}

std::string histogram(const std::vector<comparison>& rows) {
  constexpr double ends[] = {-50, -20, -10, -5, -2, 2, 5, 10, 20, 50, 100, 200, 500};
  constexpr std::size_t ranges = std::size(ends) + 1;
  std::vector<std::size_t> count(ranges, 0);
  for (const comparison& c : rows) {
    const auto end = std::lower_bound(std::begin(ends), std::end(ends), c.error_percent());
    ++count[static_cast<std::size_t>(end - std::begin(ends))];
  }
  constexpr double longest_bar = 50;
  const std::size_t most = *std::max_element(count.begin(), count.end());
  std::string text;
  for (std::size_t i = 0; i < ranges; ++i) {
    const std::string range = i == 0            ? fmt::format("up to {:.0f} %", ends[0])
                              : i + 1 == ranges ? fmt::format("over {:.0f} %", ends[i - 1])
                                                : fmt::format("{:.0f} to {:.0f} %", ends[i - 1], ends[i]);
    const double length = most ? longest_bar * static_cast<double>(count[i]) / static_cast<double>(most) : 0;
    text += fmt::format("    {:>14} {:>6}  {}\n", range, count[i],
                        std::string(static_cast<std::size_t>(std::ceil(length)), '#'));
  }
  return text;
}

}  // namespace weir::flow_accuracy

#include "scheduler/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "scheduler/component_times.hpp"

namespace weir {

expectation expected_times(const system_view& view, const allotment& given) {
  return expected_times(view, given, std::vector<double>(view.components.size(), 1.0));
}

expectation expected_times(const system_view& view, const allotment& given, const std::vector<double>& factors) {
  const std::size_t n = view.components.size();
  expectation result;
  result.seconds.resize(n);
  std::vector<component_times> times;
  times.reserve(n);
  for (std::size_t i = 0; i < n; ++i) times.emplace_back(view.components[i], factors[i]);
  double sum = 0, largest = 0;
  int largest_member = -1;
  for (std::size_t i = 0; i < n; ++i) {
    const share& own = given.components[i];
    const bool shares = own.cores.empty();
    double& u = result.seconds[i];
    if (!is_observed(view.components[i]))
      u = std::numeric_limits<double>::quiet_NaN();
    else
      u = shares ? times[i].seconds(1, 1) : times[i].seconds(own.cores.size(), own.width);
    if (!shares || std::isnan(u)) continue;
    sum += u;
    if (largest_member < 0 || u > largest) largest = u, largest_member = static_cast<int>(i);
  }
  if (largest_member >= 0) result.shared = std::max(sum / std::max(given.shared.size(), 1), largest);

  if (const int host = given.shared_host(); host >= 0 && largest_member >= 0) {
    const auto h = static_cast<std::size_t>(host);
    const share& own = given.components[h];
    if (is_observed(view.components[h])) result.seconds[h] = times[h].seconds_hosting(own.cores.size(), own.width, sum);
  }
  for (std::size_t i = 0; i < n; ++i)
    if (!given.components[i].cores.empty() && result.seconds[i] > result.bottleneck)
      result.bottleneck = result.seconds[i], result.slowest = static_cast<int>(i);
  if (result.shared > result.bottleneck) result.bottleneck = result.shared, result.slowest = -1;
  return result;
}

std::string to_string(const expectation& expected, const system_view& view) {
  const auto milliseconds = [](double seconds) {
    char text[40];
    std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
    return std::string(std::isnan(seconds) ? "unknown" : text);
  };
  char rate[40];
  std::snprintf(rate, sizeof rate, "%.3g", 1 / expected.bottleneck);
  std::string text = "bottleneck ";
  text += expected.slowest < 0 ? "shared group" : view.components[static_cast<std::size_t>(expected.slowest)].name;
  text += ' ' + milliseconds(expected.bottleneck) + " a record (" + rate + " records/s): ";
  for (std::size_t i = 0; i < expected.seconds.size(); ++i)
    text += (i == 0 ? "" : ", ") + view.components[i].name + ' ' + milliseconds(expected.seconds[i]);
  return text;
}

}  // namespace weir

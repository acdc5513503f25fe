#include "scheduler/expect/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/expect/kind_times.hpp"

namespace weir {

core_counts counts_of(const allotment& given) {
  core_counts counts;
  counts.components.reserve(given.components.size());
  for (const share& s : given.components) counts.components.push_back({s.cores.size(), s.is_member() ? 1 : s.width});
  counts.host = given.shared_host();
  if (counts.host < 0) counts.shared = given.shared.size();
  return counts;
}

std::vector<component_times> times_of(const system_view& view) {
  std::vector<component_times> times;
  times.reserve(view.components.size());
  for (const component_view& c : view.components) times.emplace_back(c);
  return times;
}

expectation expected_times(const system_view& view, const allotment& given) {
  if (has_kinds(view)) {
    const system_view on = on_its_cores(view, given);
    std::vector<component_times> times = times_of(on);
    return expected_times(counts_of(given), times);
  }
  std::vector<component_times> times = times_of(view);
  return expected_times(counts_of(given), times);
}

expectation expected_times(const core_counts& given, std::vector<component_times>& times) {
  const std::size_t n = times.size();
  expectation result;
  result.seconds.resize(n);
  double sum = 0, largest = 0;  // of the members' seconds; the largest is with all lanes that its box allows
  double most = 0;              // of one member
  int limiting = -1;            // the member with the largest
  bool any_member = false;
  for (std::size_t i = 0; i < n; ++i) {
    const core_counts::entry& own = given.components[i];
    const bool outside = times[i].outside() > 0, shares = own.cores == 0 && !outside;
    double& u = result.seconds[i];
    if (!times[i].observed())
      u = std::numeric_limits<double>::quiet_NaN();
    else if (outside)
      u = times[i].seconds_outside();
    else
      u = shares ? times[i].seconds(1, 1) : times[i].seconds(own.cores, own.width);
    if (!shares || std::isnan(u)) continue;
    any_member = true;
    sum += u;
    if (u > most) most = u, result.heaviest = static_cast<int>(i);
    if (const double limited = times[i].at_most_lanes(); limited > largest)
      largest = limited, limiting = static_cast<int>(i);
  }
  if (any_member) result.shared = std::max(sum / std::max(given.shared, 1), largest);
  if (largest > sum / std::max(given.shared, 1)) result.heaviest = limiting;

  if (given.host >= 0 && any_member) {
    const auto h = static_cast<std::size_t>(given.host);
    const core_counts::entry& own = given.components[h];
    if (times[h].observed()) result.seconds[h] = times[h].seconds_hosting(own.cores, own.width, sum);
  }
  for (std::size_t i = 0; i < n; ++i)
    if ((given.components[i].cores > 0 || times[i].outside() > 0) && result.seconds[i] > result.bottleneck)
      result.bottleneck = result.seconds[i], result.slowest = static_cast<int>(i);
  if (result.shared > result.bottleneck) result.bottleneck = result.shared, result.slowest = -1;
  return result;
}

}  // namespace weir

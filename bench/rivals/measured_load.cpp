#include "bench/rivals/measured_load.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace weir::rivals {

std::vector<double> measured_load(const system_view& view) {
  std::vector<double> load;
  for (const component_view& c : view.components) {
    const auto since = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(c.recent.size(), c.invocations_since_move));
    const auto first = since > 0 ? c.recent.end() - since : c.recent.begin();
    double sum = 0;
    for (auto s = first; s != c.recent.end(); ++s) sum += s->seconds * s->cores;
    const auto n = static_cast<double>(c.recent.end() - first);
    load.push_back(c.visits <= 0 ? 0 : n > 0 ? c.visits * sum / n : std::numeric_limits<double>::quiet_NaN());
  }
  return load;
}

bool all_measured(const std::vector<double>& load) {
  return std::none_of(load.begin(), load.end(), [](double l) { return std::isnan(l); });
}

double linear_bottleneck(const std::vector<double>& load, const allotment& given) {
  if (!all_measured(load)) return std::numeric_limits<double>::quiet_NaN();
  const int host = given.shared_host();
  double group = 0, slowest = 0;
  for (std::size_t i = 0; i < load.size(); ++i)
    if (given.components[i].cores.empty()) group += load[i];
  for (std::size_t i = 0; i < load.size(); ++i)
    if (const int cores = given.components[i].cores.size(); cores > 0)
      slowest = std::max(slowest, (load[i] + (static_cast<int>(i) == host ? group : 0)) / cores);
  if (host < 0 && !given.shared.empty()) slowest = std::max(slowest, group / given.shared.size());
  return slowest;
}

}  // namespace weir::rivals

#include "scheduler/expect/latency_cost.hpp"

#include <cmath>

namespace weir {

double latency_cost(const system_view& view, const core_counts& given, const flow& now, double rate,
                    const record_paths& paths, std::vector<component_times>& times) {
  constexpr double records = 1000;  // that come, as far as a controller looks ahead
  if (std::isnan(now.latency) || rate <= steady_load * now.throughput) return now.latency;
  const double steady = steady_load * now.throughput;
  const double backlog = records / 2 * (1 / now.throughput - steady_load / rate);
  return expected_flow(view, given, steady, paths, times).latency + backlog;
}

double latency_cost(const system_view& view, const core_counts& given, double rate, const record_paths& paths,
                    std::vector<component_times>& times) {
  return latency_cost(view, given, expected_flow(view, given, rate, paths, times), rate, paths, times);
}

}  // namespace weir

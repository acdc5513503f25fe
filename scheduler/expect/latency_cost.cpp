#include "scheduler/expect/latency_cost.hpp"

#include <cmath>

namespace weir {
namespace {

// More seconds than an allotment that keeps up can take: every visit waits behind the queues of all components.
double beyond_feasible(const system_view& view, const record_paths& paths, std::vector<component_times>& times) {
  double visits = 0, service = 0, wait = 0;
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    const double v = view.components[i].visits;
    if (v <= 0) continue;
    visits += v;
    service += v * times[i].invocation(1);
    wait += times[i].invocation(1) * (paths.copies()[i] + times[i].variation(1)) / 2 * busiest / (1 - busiest);
  }
  return service + visits * wait;
}

}  // namespace

double latency_cost(const system_view& view, const flow& now, double rate, const record_paths& paths,
                    std::vector<component_times>& times) {
  const double load = rate / now.throughput;
  if (std::isnan(now.latency) || load <= busiest) return now.latency;
  return beyond_feasible(view, paths, times) * load / busiest;
}

double latency_cost(const system_view& view, const core_counts& given, double rate, const record_paths& paths,
                    std::vector<component_times>& times) {
  return latency_cost(view, expected_flow(view, given, rate, paths, times), rate, paths, times);
}

}  // namespace weir

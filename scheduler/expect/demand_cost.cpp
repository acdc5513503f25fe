#include "scheduler/expect/demand_cost.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/expect/blocking.hpp"
#include "scheduler/expect/queueing.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

constexpr double percentile = 0.99;

double latency_p99(const system_view& view, const core_counts& given, const flow& now, const record_paths& paths,
                   std::vector<component_times>& times) {
  std::vector<random_time> sojourn(view.components.size());
  for (std::size_t i = 0; i < sojourn.size(); ++i) {
    if (view.components[i].visits <= 0) continue;
    const auto [cores, width] = given.components[i];
    const int outside = times[i].outside();
    const bool has_own = cores > 0 && outside == 0;
    const double service = has_own ? times[i].in_lane(cores, width) : times[i].invocation(1);
    const int of_group = given.host >= 0 ? given.components[to_index(given.host)].width : std::max(1, given.shared);
    const int servers = has_own ? width : outside > 0 ? outside : of_group;
    sojourn[i] = service_time(service, times[i].variation(has_own ? (cores + width - 1) / width : 1));
    sojourn[i] += wait_time(now.sojourn[i] - service, busy_probability(now.utilisation[i], servers, paths.copies()[i]));
  }
  return std::max(now.latency, paths.moments(sojourn, now.delay).quantile(percentile));
}

}  // namespace

demand_check check_demand(const system_view& view, const core_counts& given, const stream_demand& asked,
                          const record_paths& paths, std::vector<component_times>& times) {
  const flow now = expected_flow(view, given, asked.rate, paths, times);
  demand_check result{
      .cores = given.cores_used(), .load = asked.rate * cost_with_blocking(given, times), .longest = now.longest};
  result.p99 = result.load < 1 ? latency_p99(view, given, now, paths, times) : infinite_seconds;
  result.cost = now.latency;  // NaN, if it is
  if (std::isnan(now.latency)) return result;
  const double lateness = std::isfinite(asked.p99.count()) ? result.p99 / asked.p99.count() : 0;
  result.is_late = result.load <= overloaded && lateness > 1;
  double part = static_cast<double>(result.cores) / view.cores.size();
  if (result.load > overloaded)
    part = 2 * result.load / overloaded;
  else if (result.is_late)
    part = 2 - 1 / lateness;
  result.cost = part / asked.rate;
  return result;
}

}  // namespace weir

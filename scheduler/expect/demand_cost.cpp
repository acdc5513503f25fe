#include "scheduler/expect/demand_cost.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/expect/blocking.hpp"
#include "scheduler/expect/latency_cost.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

constexpr double percentile = 0.99;

double latency_p99(const system_view& view, const core_counts& given, const flow& now, const record_paths& paths,
                   std::vector<component_times>& times) {
  std::vector<random_time> sojourn(view.components.size());
  for (std::size_t i = 0; i < sojourn.size(); ++i) {
    if (view.components[i].visits <= 0) continue;
    const offered_load& own = now.stations[i].load;
    const bool shares = given.components[i].cores == 0 && times[i].outside() == 0;
    const int of_group = given.host >= 0 ? given.components[to_index(given.host)].width : std::max(1, given.shared);
    const int servers = shares ? of_group : now.stations[i].servers;
    sojourn[i] = service_time(own.service, own.variation);
    sojourn[i] +=
        wait_time(now.sojourn[i] - own.service, busy_probability(now.utilisation[i], servers, paths.copies()[i]));
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
  const double margins_used = std::max(result.load / busiest, lateness / chosen_part_of_p99);
  result.is_late = result.load <= overloaded && lateness > 1;
  double part = static_cast<double>(result.cores) / view.cores.size();
  if (result.load > overloaded)
    part = 2 * result.load / overloaded;
  else if (result.is_late || (margins_used > 1 && given != counts_of(view.current)))  // forecasts err: not worth a move
    part = 2 - 1 / margins_used;
  result.cost = part / asked.rate;
  return result;
}

}  // namespace weir

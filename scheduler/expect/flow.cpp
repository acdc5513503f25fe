#include "scheduler/expect/flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/expect/queueing.hpp"

namespace weir {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

flow expected_flow(const system_view& view, const allotment& given, double rate) {
  std::vector<component_times> times = times_of(view);
  return expected_flow(view, counts_of(given), rate, record_paths(view), times);
}

flow expected_flow(const system_view& view, const core_counts& given, double rate, const record_paths& paths,
                   std::vector<component_times>& times) {
  const std::size_t n = view.components.size();
  const expectation expected = expected_times(given, times);
  flow result;
  result.throughput = 1 / expected.bottleneck;
  result.utilisation.resize(n);
  result.sojourn.resize(n);

  const auto load_of = [&](std::size_t i) -> offered_load {
    const auto [cores, width] = given.components[i];
    const double records = rate * view.components[i].visits;
    if (cores == 0) return {records, times[i].seconds(1, 1) > 0 ? times[i].invocation(1) : 0, times[i].variation(1)};
    return {records, times[i].in_lane(cores, width), times[i].variation((cores + width - 1) / width)};
  };
  shared_queue group;
  double group_work = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (given.components[i].cores > 0 || times[i].outside() > 0 || !times[i].observed()) continue;
    group.add(load_of(i));
    group_work += expected.seconds[i];
  }
  const auto host = static_cast<std::size_t>(std::max(0, given.host));
  const bool hosted = given.host >= 0 && group_work > 0;
  double group_wait = group.wait(std::max(1, given.shared)), host_wait = 0;
  if (hosted && rate > 0) {
    shared_queue both = group;
    both.add(load_of(host));
    host_wait = rate * expected.seconds[host] < 1 ? both.wait(given.components[host].width)
                                                  : std::numeric_limits<double>::infinity();
    group_wait = std::max(group_wait, host_wait);
  }

  for (std::size_t i = 0; i < n; ++i) {
    const int outside = times[i].outside();
    const bool shares = given.components[i].cores == 0 && outside == 0;
    if (!times[i].observed()) {
      result.utilisation[i] = result.sojourn[i] = unknown;
      continue;
    }
    result.utilisation[i] = rate * (shares ? expected.shared : expected.seconds[i]);
    if (view.components[i].visits <= 0) continue;
    const offered_load own = load_of(i);
    int at_once = outside > 0 ? outside : given.components[i].width;
    if (shares) at_once = std::min(shared_lanes(view.components[i]), std::max(1, given.shared));
    const double alone = waiting_time(own, at_once);
    double wait = alone;
    if (shares) wait = std::max(alone, group_wait);
    if (hosted && i == host) wait = std::max(alone, host_wait);
    result.sojourn[i] = own.service + wait;
  }
  result.latency = paths.seconds(result.sojourn);
  if (group_work > 0) {
    const bool whole = hosted && given.components[host].width == 1;
    const double floor = whole ? group_work + view.components[host].visits *
                                                  (view.components[host].visits > 0 ? load_of(host).service : 0.0)
                               : group_work / std::max(1, given.shared);
    result.latency = std::max(result.latency, floor);
  }

  const std::vector<double> weight = paths.weights(result.sojourn, std::numeric_limits<double>::infinity());
  double most = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (weight[i] * result.sojourn[i] > most)
      most = weight[i] * result.sojourn[i], result.longest = static_cast<int>(i);
  return result;
}

}  // namespace weir

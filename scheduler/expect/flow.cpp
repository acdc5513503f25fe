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
  result.bottleneck = expected.slowest < 0 ? expected.heaviest : expected.slowest;
  result.group_utilisation = rate * expected.shared;
  result.utilisation.resize(n);
  result.own_utilisation.resize(n);
  result.sojourn.resize(n);
  result.delay.resize(n);

  const auto lanes_of = [&](std::size_t i) {
    if (times[i].outside() > 0) return times[i].outside();
    const auto [cores, width] = given.components[i];
    return cores > 0 ? width : std::min(shared_lanes(view.components[i]), std::max(1, given.shared));
  };
  const auto service_of = [&](std::size_t i) {
    const auto [cores, width] = given.components[i];
    if (cores > 0) return times[i].in_lane(cores, width);
    return times[i].seconds(1, 1) > 0 ? times[i].invocation(1) : 0;
  };
  std::vector<double> service(n), pace(n);
  for (std::size_t i = 0; i < n; ++i) {
    service[i] = service_of(i);
    pace[i] = service[i] / lanes_of(i);
  }
  const std::vector<double> pace_before = paths.pace_before(pace);
  const auto load_of = [&](std::size_t i) -> offered_load {
    const auto [cores, width] = given.components[i];
    const double variation = times[i].variation(cores == 0 ? 1 : (cores + width - 1) / width);
    const double follow = paths.copies()[i] - 1, faster = pace[i] > 0 ? 1 - pace_before[i] / pace[i] : 0;
    return {rate * view.components[i].visits, service[i], variation, 1 + follow * std::max(0.0, faster)};
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
      result.utilisation[i] = result.own_utilisation[i] = result.sojourn[i] = unknown;
      continue;
    }
    result.utilisation[i] = rate * (shares ? expected.shared : expected.seconds[i]);
    result.own_utilisation[i] = rate * expected.seconds[i] / (shares ? lanes_of(i) : 1);
    if (view.components[i].visits <= 0) continue;
    const offered_load own = load_of(i);
    const double alone = waiting_time(own, lanes_of(i));
    double wait = alone;
    if (shares) wait = std::max(alone, group_wait);
    if (hosted && i == host) wait = std::max(alone, host_wait);
    result.sojourn[i] = own.service + wait;
    result.delay[i] = std::max(0.0, paths.copies()[i] * pace[i] - own.service);
  }
  result.latency = paths.seconds(result.sojourn, result.delay);
  if (group_work > 0) {
    const bool whole = hosted && given.components[host].width == 1;
    const double floor =
        whole ? group_work + view.components[host].visits * (view.components[host].visits > 0 ? service[host] : 0.0)
              : group_work / std::max(1, given.shared);
    result.latency = std::max(result.latency, floor);
  }

  std::vector<double> all_copies = result.sojourn;
  for (std::size_t i = 0; i < n; ++i) all_copies[i] += result.delay[i];
  const std::vector<double> weight = paths.weights(all_copies, record_paths::slowest_only);
  double most = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (weight[i] * all_copies[i] > most) most = weight[i] * all_copies[i], result.longest = static_cast<int>(i);
  return result;
}

}  // namespace weir

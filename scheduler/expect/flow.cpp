#include "scheduler/expect/flow.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/expect/fair_group.hpp"
#include "scheduler/expect/kind_times.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

bool is_member(const core_counts& given, const std::vector<component_times>& times, std::size_t i) {
  return given.components[i].cores == 0 && times[i].outside() == 0;
}

std::vector<station> stations_of(const system_view& view, const core_counts& given, double rate,
                                 const record_paths& paths, std::vector<component_times>& times) {
  std::vector<station> all(times.size());
  std::vector<double> pace;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [cores, width] = given.components[i];
    const int in_group = std::min(shared_lanes(view.components[i]), std::max(1, given.shared));
    all[i].servers = times[i].outside() > 0 ? times[i].outside() : cores > 0 ? width : in_group;
    all[i].load.service = cores > 0 ? times[i].in_lane(cores, width) : times[i].in_lane(1, 1);
    pace.push_back(all[i].pace());
  }
  const std::vector<double> pace_before = paths.pace_before(pace);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (view.components[i].visits <= 0 || !times[i].observed()) continue;
    const auto [cores, width] = given.components[i];
    const double faster = pace[i] > 0 ? std::max(0.0, 1 - pace_before[i] / pace[i]) : 0;
    offered_load& load = all[i].load;
    load.rate = rate * view.components[i].visits;
    load.variation = times[i].variation(cores > 0 ? (cores + width - 1) / width : 1);
    load.batch = 1 + (paths.copies()[i] - 1) * faster;
  }
  return all;
}

// The queue of the shared group, in seconds.
struct group_queue {
  double members_wait = 0, host_wait = 0;  // of members: the mean
  double least_latency = 0;                // that the group's cores need for all its work on one record
  std::vector<double> parts;               // of the members' wait, by component

  double wait_of(std::size_t member) const {
    return members_wait < infinite_seconds ? members_wait * parts[member] : members_wait;
  }
};

group_queue queue_of_group(const system_view& view, const core_counts& given, double rate, const expectation& expected,
                           const std::vector<station>& stations, std::vector<component_times>& times) {
  shared_queue all;
  fair_group members;
  std::vector<std::size_t> added;
  double work = 0;
  for (std::size_t i = 0; i < stations.size(); ++i) {
    if (!is_member(given, times, i) || !times[i].observed()) continue;
    added.push_back(i);
    all.add(stations[i].load);
    members.add(stations[i].load, view.components[i].priority);
    work += expected.seconds[i];
  }
  const int cores = std::max(1, given.shared);
  group_queue group{all.wait(cores), 0, work / cores, std::vector<double>(stations.size(), 1.0)};
  const std::vector<double> parts = members.parts(cores);
  for (std::size_t k = 0; k < added.size(); ++k) group.parts[added[k]] = parts[k];
  if (given.host < 0 || !(work > 0)) return group;
  const std::size_t h = to_index(given.host);
  const station& host = stations[h];
  if (host.servers == 1) group.least_latency = work + view.components[h].visits * host.load.service;
  if (!(rate > 0)) return group;
  all.add(host.load);
  group.host_wait = rate * expected.seconds[h] < 1 ? all.wait(host.servers) : infinite_seconds;
  group.members_wait = std::max(group.members_wait, group.host_wait);
  return group;
}

int longest_part(const record_paths& paths, const flow& found) {
  std::vector<double> all_copies = found.sojourn;
  for (std::size_t i = 0; i < all_copies.size(); ++i) all_copies[i] += found.delay[i];
  const std::vector<double> weight = paths.weights(all_copies, record_paths::slowest_only);
  int longest = -1;
  double most = 0;
  for (std::size_t i = 0; i < all_copies.size(); ++i)
    if (weight[i] * all_copies[i] > most) most = weight[i] * all_copies[i], longest = static_cast<int>(i);
  return longest;
}

}  // namespace

flow expected_flow(const system_view& view, const allotment& given, double rate) {
  if (has_kinds(view)) {
    const system_view on = on_its_cores(view, given);
    std::vector<component_times> times = times_of(on);
    return expected_flow(on, counts_of(given), rate, record_paths(on), times);
  }
  std::vector<component_times> times = times_of(view);
  return expected_flow(view, counts_of(given), rate, record_paths(view), times);
}

flow expected_flow(const system_view& view, const core_counts& given, double rate, const record_paths& paths,
                   std::vector<component_times>& times) {
  const expectation expected = expected_times(given, times);
  flow result;
  result.stations = stations_of(view, given, rate, paths, times);
  const group_queue group = queue_of_group(view, given, rate, expected, result.stations, times);
  result.throughput = 1 / expected.bottleneck;
  result.bottleneck = expected.slowest < 0 ? expected.heaviest : expected.slowest;
  result.group_utilisation = rate * expected.shared;
  result.utilisation = result.own_utilisation = result.sojourn = std::vector<double>(times.size(), std::nan(""));
  result.delay.resize(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!times[i].observed()) continue;
    const station& own = result.stations[i];
    const bool shares = is_member(given, times, i), hosts = static_cast<int>(i) == given.host;
    result.utilisation[i] = rate * (shares ? expected.shared : expected.seconds[i]);
    result.own_utilisation[i] = rate * expected.seconds[i] / (shares ? own.servers : 1);
    result.sojourn[i] = 0;
    if (view.components[i].visits <= 0) continue;
    double in_group = 0;
    if (shares) in_group = group.wait_of(i);
    if (hosts) in_group = group.host_wait;
    result.sojourn[i] = own.load.service + own.wait(in_group);
    result.delay[i] = own.delay(paths.copies()[i]);
  }
  result.latency = std::max(paths.seconds(result.sojourn, result.delay), group.least_latency);
  result.longest = longest_part(paths, result);
  return result;
}

}  // namespace weir

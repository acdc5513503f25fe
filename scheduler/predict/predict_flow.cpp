#include <weir/scheduler/predict/predict_flow.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "scheduler/expect/batch_queue.hpp"
#include "scheduler/expect/fair_group.hpp"
#include "scheduler/expect/queueing.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir {
namespace {

constexpr std::size_t most_places = 4096;

// A component that no record reaches has no load.
station station_of(const network_model& network, const std::vector<double>& visits, const mapping& given, std::size_t i,
                   double rate) {
  const mapping::entry& e = given.components[i];
  const network_model::component& c = network.components[i];
  const int at_a_time = std::min(e.width, network.most_by_needs(i));
  if (!(visits[i] > 0)) return {{}, at_a_time};
  const double service = seconds_in_lanes(e.cores_at_once(), e.width, [&](int cores) { return c.time_on(cores); });
  return {{rate * visits[i], service, c.variation}, at_a_time};
}

// A record at a component whose invocations take several.
batched_record in_batches_of(const network_model& network, const std::vector<double>& visits, const mapping& given,
                             std::size_t i, double rate) {
  const network_model::component& c = network.components[i];
  const station own = station_of(network, visits, given, i, rate);
  const double full = c.together * own.load.service, start = std::min(c.batch_start, full);
  return in_batches({own.load.rate, start, (full - start) / c.together, c.together, c.variation, own.servers});
}

// The links, without the records that joins hold back.
std::vector<link> links_passed(const network_model& network, const network_flow& flow) {
  std::vector<link> links = network.all_links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    const double passes = flow.records[l] > 0 ? 1 - flow.held[l] / flow.records[l] : 0;
    links[l].records = (links[l].from < 0 ? flow.records[l] : links[l].records) * passes;
  }
  return links;
}

// By component: records that come at the same time, as those of an invocation before it do, on average over its
// records.
std::vector<double> coming_together(const network_model& network, const network_flow& flow,
                                    const std::vector<batched_record>& batched) {
  std::vector<double> records(batched.size(), 0), together(batched.size(), 0);
  const std::vector<link> links = network.all_links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (links[l].to < 0) continue;
    records[to_index(links[l].to)] += flow.records[l];
    together[to_index(links[l].to)] +=
        flow.records[l] * (links[l].from < 0 ? 1 : batched[to_index(links[l].from)].together);
  }
  for (std::size_t i = 0; i < together.size(); ++i) together[i] = records[i] > 0 ? together[i] / records[i] : 1;
  return together;
}

// The busy part of each core's time at `rate` records a second.
std::vector<double> busy_cores(const mapping& given, const network_flow& flow, const capacity& limits, int cores,
                               double rate, sharing rule) {
  std::vector<double> busy(to_index(cores), 0.0);
  for (int core = 0; core < cores; ++core) {
    std::vector<double> parts;  // of its limit, by component on the core
    for (std::size_t i = 0; i < flow.visits.size(); ++i)
      if (flow.visits[i] > 0 && given.components[i].cores.contains(core)) parts.push_back(rate / limits.by_cores[i]);
    double& here = busy[to_index(core)];
    if (rule == sharing::equal_parts)
      for (double part : parts) here += std::min(1.0, part) / static_cast<double>(parts.size());
    else if (!parts.empty())
      here = std::min(1.0, limits.busy[to_index(core)] * parts.front());
  }
  return busy;
}

std::vector<network_prediction::stream> streams_of(const network_model& network, const network_flow& flow,
                                                   const std::vector<network_prediction::component>& components,
                                                   double rate, double blocking) {
  std::vector<network_prediction::stream> streams;
  const std::vector<link> links = network.all_links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    const auto [from, to, records] = links[l];
    streams.push_back({from, to, rate * flow.records[l], rate * flow.held[l], 0});
    if (to >= 0) streams.back().places = queue_capacity(components[to_index(to)].load, blocking, 1, most_places);
  }
  return streams;
}

std::string bottleneck_of(const network_model& network, const mapping& given, const std::vector<double>& visits,
                          const capacity& limits) {
  if (limits.component >= 0) {
    const network_model::component& slowest = network.components[to_index(limits.component)];
    const std::string device = slowest.device < 0 ? "" : " on device " + network.devices[to_index(slowest.device)].name;
    return "component " + slowest.name + device;
  }
  if (limits.resource >= 0) {
    std::string names;
    for (std::size_t i = 0; i < visits.size(); ++i)
      for (const network_model::need& n : network.components[i].needs)
        if (n.resource == limits.resource && visits[i] > 0)
          names += (names.empty() ? "" : ", ") + network.components[i].name;
    return "resource " + network.resources[to_index(limits.resource)].name + " of " + names;
  }
  std::vector<std::pair<double, std::size_t>> sharers;  // core seconds for each record that enters, negated
  for (std::size_t i = 0; i < visits.size(); ++i)
    if (visits[i] > 0 && given.components[i].cores.intersects(limits.cores))
      sharers.emplace_back(
          -visits[i] * station_of(network, visits, given, i, 0).load.service * given.components[i].invocation_cores(),
          i);
  std::sort(sharers.begin(), sharers.end());
  std::string names;
  for (const auto& [work, i] : sharers) names += (names.empty() ? "" : ", ") + network.components[i].name;
  return "cores {" + to_string(limits.cores) + "} of " + names;
}

}  // namespace

void flow_options::validate() const {
  constexpr double most_rate = 1e30;  // further products of it stay finite
  require_option("flow_options", rate >= 0 && rate <= most_rate, "the rate", rate, "in [0, 1e30]");
  if (!(blocking > 0 && blocking < 1))
    throw std::invalid_argument("flow_options: the blocking probability is " + in_digits(blocking) +
                                "; it must be in (0, 1)");
}

flow_predictor::flow_predictor(const network_model& network)
    : network_(network),
      flow_(flow_of(network)),
      paths_(network.components.size(), links_passed(network, flow_)),
      beside_(paths_.side_by_side()) {}

// The time of a record alone: T, or the time of all its copies that use the same cores concurrently. A component that
// gets records seldom meets as many copies when it does.
double flow_predictor::with_copies_beside(const mapping& given, std::size_t i) const {
  const mapping::entry& e = given.components[i];
  const auto seconds = [&](std::size_t j) {
    return network_.components[j].time_on(given.components[j].invocation_cores());
  };
  const auto lanes = e.lanes();
  double others = 0;  // the mean over the lanes of the time on each lane's fullest core
  for (const core_set& own : lanes) {
    double most = 0;
    for (int core : own) {
      double here = 0;
      for (std::size_t j : beside_[i])
        if (const mapping::entry& o = given.components[j]; o.cores.contains(core))
          here += flow_.visits[j] * seconds(j) * o.invocation_cores() / o.cores.size();
      most = std::max(most, here);
    }
    others += most / static_cast<double>(lanes.size());
  }
  return std::max(seconds(i), seconds(i) / static_cast<double>(lanes.size()) + others / std::max(1.0, flow_.visits[i]));
}

double flow_predictor::shared_wait(const mapping& given, std::size_t i, double rate) const {
  shared_queue all;
  fair_group members;
  core_set cores;
  double work = 0, seconds = 0;
  std::size_t before = 0, members_from_it = 0;
  for (std::size_t j = 0; j < flow_.visits.size(); ++j) {
    if (!(flow_.visits[j] > 0) || !given.components[j].cores.intersects(given.components[i].cores)) continue;
    const offered_load one = station_of(network_, flow_.visits, given, j, rate).load;
    ++(j < i ? before : members_from_it);
    all.add(one);
    members.add(one, network_.components[j].priority);
    cores = cores | given.components[j].cores;
    seconds += one.rate * one.service;
    work += one.rate * one.service * given.components[j].invocation_cores();
  }
  if (before + members_from_it < 2) return 0;
  const int servers = as_int(std::round(cores.size() * seconds / work), 1, cores.size());
  const double wait = all.wait(servers);
  return wait < infinite_seconds ? wait * members.parts(servers)[before] : wait;
}

std::vector<double> flow_predictor::sojourns(const mapping& given, const capacity& limits, double rate) const {
  std::vector<double> result(flow_.visits.size(), 0.0);
  std::vector<batched_record> batched(result.size());
  for (std::size_t i = 0; i < result.size(); ++i)
    if (flow_.visits[i] > 0 && network_.components[i].together > 1)
      batched[i] = in_batches_of(network_, flow_.visits, given, i, rate);
  const std::vector<double> come = rate > 0 ? coming_together(network_, flow_, batched) : std::vector<double>{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!(flow_.visits[i] > 0)) continue;
    station own = station_of(network_, flow_.visits, given, i, rate);
    const bool takes_several = network_.components[i].together > 1;
    result[i] = takes_several ? batched[i].service : own.load.service;
    if (!beside_[i].empty() && !given.components[i].cores.empty())
      result[i] = std::max(result[i], with_copies_beside(given, i));
    if (!(rate > 0)) continue;
    if (rate >= limits.limit[i]) {
      result[i] = infinite_seconds;
    } else if (takes_several) {
      result[i] += std::max(batched[i].wait, shared_wait(given, i, rate));
    } else {
      own.load.batch = come[i];
      result[i] += own.wait(shared_wait(given, i, rate)) + (come[i] - 1) / 2 * own.pace();  // each behind those before
    }
  }
  return result;
}

double flow_predictor::latency(const mapping& given, const capacity& limits, double rate) const {
  return latency(sojourns(given, limits, rate));
}

network_prediction predict_flow(const network_model& network, const mapping& given, int cores,
                                const flow_options& options) {
  network.validate();
  options.validate();
  network_prediction result;
  result.notes = network.assumed;
  result.why_not = check(given, network, cores);
  result.feasible = result.why_not.empty();
  if (!result.feasible) return result;
  const flow_predictor of(network);
  const network_flow& flow = of.flow();
  const capacity shared = capacity_of(network, flow.visits, given, cores, sharing::work_conserving);
  const capacity divided = capacity_of(network, flow.visits, given, cores, sharing::equal_parts);
  const capacity& limits = options.rule == sharing::work_conserving ? shared : divided;
  result.throughput = limits.throughput;
  result.throughput_shared = shared.throughput;
  result.throughput_mu_n = divided.throughput;
  const double asked = options.rate > 0 ? options.rate : limits.throughput;
  result.rate = std::min(asked, limits.throughput);
  if (asked > limits.throughput * (1 + relative_rounding)) {
    result.feasible = false;
    result.why_not = "the rate is " + in_digits(asked) + " records a second, and at most " +
                     in_digits(limits.throughput) + " can enter";
  }

  result.cores = busy_cores(given, flow, limits, cores, result.rate, options.rule);
  const std::vector<double> sojourn = of.sojourns(given, limits, options.rate);
  result.latency = options.rate > 0 && asked >= limits.throughput ? infinite_seconds : of.latency(sojourn);
  for (std::size_t i = 0; i < sojourn.size(); ++i) {
    network_prediction::component c{
        .name = network.components[i].name, .visits = flow.visits[i], .gain = flow.gain[i], .sojourn = sojourn[i]};
    if (c.visits > 0) {
      c.rate = result.rate * c.visits;
      c.service_rate = service_rate(network, given, i);
      c.utilisation = c.rate / c.service_rate;
      double around = 0;
      const core_set& own = given.components[i].cores;
      for (int core : own) around += result.cores[to_index(core)] / own.size();
      const bool in_parts = options.rule == sharing::equal_parts;
      c.load = in_parts ? result.rate / limits.by_cores[i] : std::max(c.utilisation, around);
      if (!network.components[i].needs.empty()) c.load = std::max(c.load, result.rate / limits.limit[i]);
    }
    result.components.push_back(c);
  }
  result.streams = streams_of(network, flow, result.components, result.rate, options.blocking);
  for (const network_prediction::stream& s : result.streams)
    if (s.held > relative_rounding * s.records)
      result.notes.push_back("the streams that \"" + network.components[to_index(s.to)].name +
                             "\" joins carry different numbers of records: what has no partner piles up");
  result.bottleneck = bottleneck_of(network, given, flow.visits, limits);
  result.bottleneck_cores = limits.cores;
  return result;
}

}  // namespace weir

#include <weir/scheduler/predict/predict_flow.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "scheduler/expect/queueing.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir {
namespace {

constexpr std::size_t most_places = 4096;

// Seconds of one invocation: the mean over the lanes, where a faster one takes more records.
double invocation(const network_model& network, const mapping& given, std::size_t i,
                  const std::vector<double>& visits) {
  const mapping::entry& e = given.components[i];
  if (!(visits[i] > 0)) return 0;
  return e.cores.empty() || e.roams || e.width == 1
             ? network.components[i].time_on(e.roams || e.cores.empty() ? 1 : e.cores.size())
             : e.width / service_rate(network, given, i);
}

bool share_cores(const mapping& given, std::size_t a, std::size_t b) {
  return given.components[a].cores.intersects(given.components[b].cores);
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

double flow_predictor::wait(const mapping& given, std::size_t i, double rate) const {
  const auto load = [&](std::size_t j) -> offered_load {
    return {rate * flow_.visits[j], invocation(network_, given, j, flow_.visits), network_.components[j].variation};
  };
  const double alone = waiting_time(load(i), given.components[i].width);
  if (given.components[i].cores.empty()) return alone;
  shared_queue all;
  core_set cores;
  double work = 0, seconds = 0;
  bool shares = false;
  for (std::size_t j = 0; j < flow_.visits.size(); ++j) {
    if (!(flow_.visits[j] > 0) || !share_cores(given, i, j)) continue;
    const offered_load one = load(j);
    shares = shares || j != i;
    all.add(one);
    cores = cores | given.components[j].cores;
    seconds += one.rate * one.service;
    work += one.rate * one.service * given.components[j].invocation_cores();
  }
  if (!shares) return alone;
  const int servers = as_int(std::round(cores.size() * seconds / work), 1, cores.size());
  return std::max(alone, all.wait(servers));
}

std::vector<double> flow_predictor::sojourns(const mapping& given, const capacity& limits, double rate) const {
  std::vector<double> result(flow_.visits.size(), 0.0);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!(flow_.visits[i] > 0)) continue;
    result[i] = invocation(network_, given, i, flow_.visits);
    if (!beside_[i].empty() && !given.components[i].cores.empty())
      result[i] = std::max(result[i], with_copies_beside(given, i));
    if (rate > 0) result[i] += rate < limits.limit[i] ? wait(given, i, rate) : infinite_seconds;
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
  if (!result.why_not.empty()) {
    result.feasible = false;
    return result;
  }
  const std::size_t n = network.components.size();
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

  std::vector<std::vector<std::size_t>> on(to_index(cores));
  for (std::size_t i = 0; i < n; ++i)
    if (flow.visits[i] > 0)
      for (int core : given.components[i].cores) on[to_index(core)].push_back(i);
  for (std::size_t c = 0; c < on.size(); ++c) {
    double busy = 0;
    for (std::size_t i : on[c])
      busy += std::min(1.0, result.rate / limits.limit[i]) / static_cast<double>(on[c].size());
    if (options.rule == sharing::work_conserving && !on[c].empty())
      busy = std::min(1.0, limits.busy[c] * result.rate / limits.limit[on[c].front()]);
    result.cores.push_back(busy);
  }

  const std::vector<double> sojourn = of.sojourns(given, limits, options.rate);
  result.latency = options.rate > 0 && asked >= limits.throughput ? infinite_seconds : of.latency(sojourn);
  for (std::size_t i = 0; i < n; ++i) {
    network_prediction::component c{.visits = flow.visits[i], .gain = flow.gain[i], .sojourn = sojourn[i]};
    if (c.visits > 0) {
      c.rate = result.rate * c.visits;
      c.service_rate = service_rate(network, given, i);
      c.utilisation = c.rate / c.service_rate;
      double around = 0;
      const core_set& own = given.components[i].cores;
      for (int core : own) around += result.cores[to_index(core)] / own.size();
      c.load = std::max(c.utilisation, around);
      if (options.rule == sharing::equal_parts) c.load = result.rate / limits.limit[i];
    }
    result.components.push_back(c);
  }
  const std::vector<link> links = network.all_links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    network_prediction::stream s{links[l].from, links[l].to, result.rate * flow.records[l], result.rate * flow.held[l],
                                 0};
    if (s.to >= 0) s.places = queue_capacity(result.components[to_index(s.to)].load, options.blocking, 1, most_places);
    result.streams.push_back(s);
    if (s.held > relative_rounding * s.records)
      result.notes.push_back("the streams that \"" + network.components[to_index(s.to)].name +
                             "\" joins carry different numbers of records: what has no partner piles up");
  }
  if (limits.component >= 0) {
    const network_model::component& slowest = network.components[to_index(limits.component)];
    result.bottleneck = "component " + slowest.name;
    if (slowest.device >= 0) result.bottleneck += " on device " + network.devices[to_index(slowest.device)].name;
  } else {
    result.bottleneck_cores = limits.cores;
    result.bottleneck = "cores {" + to_string(limits.cores) + "} of ";
    std::vector<std::pair<double, std::size_t>> sharers;  // core seconds for each record that enters, negated
    for (std::size_t i = 0; i < n; ++i)
      if (flow.visits[i] > 0 && given.components[i].cores.intersects(limits.cores))
        sharers.emplace_back(
            -flow.visits[i] * invocation(network, given, i, flow.visits) * given.components[i].invocation_cores(), i);
    std::sort(sharers.begin(), sharers.end());
    std::string names;
    for (const auto& [work, i] : sharers) names += (names.empty() ? "" : ", ") + network.components[i].name;
    result.bottleneck += names;
  }
  return result;
}

}  // namespace weir

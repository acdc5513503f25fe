#include "scheduler/predict/predict_flow.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "scheduler/expect/queueing.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

constexpr std::size_t most_places = 4096;

// Seconds of one invocation: the mean over the lanes, of which a faster one takes more.
double invocation(const network_model& network, const mapping& given, std::size_t i,
                  const std::vector<double>& visits) {
  const mapping::entry& e = given.components[i];
  if (!(visits[i] > 0)) return 0;
  return e.cores.empty() || e.roams || e.width == 1
             ? network.components[i].seconds(e.roams || e.cores.empty() ? 1 : e.cores.size())
             : e.width / service_rate(network, given, i);
}

bool share_cores(const mapping& given, std::size_t a, std::size_t b) {
  return given.components[a].cores.intersects(given.components[b].cores);
}

}  // namespace

void flow_options::validate() const {
  if (!(rate >= 0) || std::isinf(rate))
    throw std::invalid_argument("flow_options: the rate is " + std::to_string(rate) +
                                "; it must be finite and 0 or more");
  if (!(blocking > 0 && blocking < 1))
    throw std::invalid_argument("flow_options: the blocking probability is " + std::to_string(blocking) +
                                "; it must be in (0, 1)");
}

flow_predictor::flow_predictor(const network_model& network) : network_(network), flow_(flow_of(network)) {
  const std::size_t n = network.components.size();
  const std::vector<link> links = network.all_links();
  branches_.resize(n + 1);
  beside_.resize(n);
  for (std::size_t l = 0; l < links.size(); ++l) {
    const double passes = flow_.records[l] > 0 ? 1 - flow_.held[l] / flow_.records[l] : 0;
    const double records = (links[l].from < 0 ? flow_.records[l] : links[l].records) * passes;
    if (records > 0)
      branches_[links[l].from < 0 ? n : to_index(links[l].from)].push_back(
          {links[l].to < 0 ? n : to_index(links[l].to), std::min(1.0, records), std::max(1.0, records)});
  }
  find_copies_beside();
}

// Two components on different ways from a fork, of which neither leads to the other.
void flow_predictor::find_copies_beside() {
  const std::size_t n = beside_.size();
  std::vector<std::vector<bool>> leads(n, std::vector<bool>(n + 1, false));
  for (std::size_t from = 0; from < n; ++from) {
    std::vector<std::size_t> open{from};
    leads[from][from] = true;
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      for (const branch& b : branches_[i])
        if (!leads[from][b.to]) {
          leads[from][b.to] = true;
          if (b.to < n) open.push_back(b.to);
        }
    }
  }
  for (const std::vector<branch>& ways : branches_) {
    double parts = 0;
    for (const branch& b : ways) parts += b.part;
    if (parts <= 1 + relative_rounding) continue;
    for (const branch& one : ways)
      for (const branch& other : ways) {
        if (&one == &other || one.to == n || other.to == n) continue;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            if (leads[one.to][i] && leads[other.to][j] && !leads[i][j] && !leads[j][i] &&
                std::find(beside_[i].begin(), beside_[i].end(), j) == beside_[i].end())
              beside_[i].push_back(j);
      }
  }
}

template <typename Visit>
void flow_predictor::for_each_way(std::size_t from, const std::vector<double>& left, Visit visit) const {
  double parts = 0;
  for (const branch& b : branches_[from]) parts += b.part;
  if (parts <= 1 + relative_rounding) {
    for (const branch& b : branches_[from]) visit(b.to, b.part * b.copies);
    return;
  }
  std::vector<branch> slowest = branches_[from];
  std::stable_sort(slowest.begin(), slowest.end(),
                   [&](const branch& a, const branch& b) { return a.copies * left[a.to] > b.copies * left[b.to]; });
  double spare = 1;
  for (const branch& b : slowest) {
    if (const double part = std::min(b.part, spare); part > 0) visit(b.to, part * b.copies);
    spare -= b.part;
  }
}

double flow_predictor::way_on(std::size_t from, const std::vector<double>& left) const {
  double sum = 0;
  for_each_way(from, left, [&](std::size_t to, double records) {
    if (left[to] > 0) sum += records * left[to];
  });
  return sum;
}

// With the ways that `left` says are the slowest: a linear system. False when it has no answer, as I - W has none that
// is positive where copies in a loop become more and more.
bool flow_predictor::solve_ways(const std::vector<double>& sojourn, std::vector<double>& left) const {
  const auto n = static_cast<Eigen::Index>(sojourn.size());
  Eigen::MatrixXd balance = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd own = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto from = static_cast<std::size_t>(i);
    if (!(flow_.visits[from] > 0)) continue;
    own[i] = sojourn[from];
    for_each_way(from, left, [&](std::size_t to, double records) {
      if (const auto j = static_cast<Eigen::Index>(to); j < n) balance(i, j) -= records;
    });
  }
  const Eigen::VectorXd found = balance.partialPivLu().solve(own);
  for (Eigen::Index i = 0; i < n; ++i) left[static_cast<std::size_t>(i)] = found[i];
  return found.allFinite() && found.minCoeff() >= 0;
}

// By rounds against the stream: two are enough without a loop, and few where little goes back. Where they are not, it
// goes on as a search for the slowest ways (Howard's policy iteration), which seldom takes more than three rounds.
double flow_predictor::latency(const std::vector<double>& sojourn) const {
  constexpr int most_rounds = 50;
  constexpr double settled = 1e-12;
  const std::size_t n = sojourn.size();
  for (std::size_t i = 0; i < n; ++i)
    if (flow_.visits[i] > 0 && !std::isfinite(sojourn[i])) return sojourn[i];
  std::vector<double> left(n + 1, 0.0);  // the last is the output's
  for (int round = 0; round < 2 * most_rounds; ++round) {
    const std::vector<double> before = left;
    if (round < most_rounds) {
      for (std::size_t i = n; i-- > 0;)
        if (flow_.visits[i] > 0) left[i] = sojourn[i] + way_on(i, left);
    } else if (!solve_ways(sojourn, left)) {
      return infinite_seconds;
    }
    double changed = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isinf(left[i])) return infinite_seconds;
      changed = std::max(changed, std::abs(left[i] - before[i]) / left[i]);
    }
    if (!(changed > settled)) break;
  }
  return way_on(n, left);
}

// A record alone: T, or what the copies of it take that are on the same cores at once. Where it comes seldom they are
// as many when it does.
double flow_predictor::with_copies_beside(const mapping& given, std::size_t i) const {
  const mapping::entry& e = given.components[i];
  const auto seconds = [&](std::size_t j) {
    return network_.components[j].seconds(given.components[j].invocation_cores());
  };
  const auto lanes = e.lanes();
  double others = 0;  // the mean over the lanes, of each its fullest core
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
  mixed_load all;
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
  const int servers = std::max(1, static_cast<int>(std::lround(cores.size() * seconds / work)));
  return std::max(alone, waiting_time(all.total(), servers));
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
    result.why_not = "at most " + std::to_string(limits.throughput) + " records a second can enter, asked for was " +
                     std::to_string(asked);
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
    result.bottleneck = "cores {" + to_string(limits.cores) + "} of ";
    std::string names;
    for (std::size_t i = 0; i < n; ++i)
      if (flow.visits[i] > 0 && given.components[i].cores.intersects(limits.cores))
        names += (names.empty() ? "" : ", ") + network.components[i].name;
    result.bottleneck += names;
  }
  return result;
}

}  // namespace weir

#include "scheduler/predict/cluster_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scheduler/expect/queueing.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir {
namespace {

using kind = cluster_plan::part::kind;

std::vector<std::string> names_of(const network_model& network) {
  std::vector<std::string> names;
  for (const network_model::component& c : network.components) names.push_back(c.name);
  return names;
}

int port_out(const cluster& machines, int machine) { return machines.all_cores() + 2 * machine; }
int port_in(const cluster& machines, int machine) { return port_out(machines, machine) + 1; }

// The network of a plan: a choice takes no time, so its links begin where the choice's records come from.
network_model network_of(const cluster_plan& plan, const network_model& given, std::vector<std::size_t>& part_of) {
  network_model result;
  result.devices = given.devices;
  result.assumed = given.assumed;
  std::vector<int> number(plan.parts.size(), -1);
  std::vector<const link*> into_choice(plan.parts.size(), nullptr);
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const cluster_plan::part& part = plan.parts[p];
    if (part.what == kind::choice) continue;
    number[p] = static_cast<int>(result.components.size());
    part_of.push_back(p);
    if (part.what == kind::component) {
      result.components.push_back(given.components[part.of]);
      result.components.back().name = part.name;
      continue;
    }
    network_model::component made;
    made.name = part.name;
    made.seconds = [seconds = part.seconds](int) { return seconds; };
    made.variation = 0;
    made.max_width = part.at_once;
    if (part.what == kind::flight) {
      made.device = static_cast<int>(result.devices.size());
      result.devices.push_back({part.name, part.at_once});
    } else {
      made.min_cores = made.max_cores = 2;
    }
    result.components.push_back(std::move(made));
  }
  for (const link& l : plan.links)
    if (l.to >= 0 && plan.parts[to_index(l.to)].what == kind::choice) into_choice[to_index(l.to)] = &l;
  const auto numbered = [&](int part) { return part < 0 ? -1 : number[to_index(part)]; };
  for (const link& l : plan.links) {
    if (l.to >= 0 && into_choice[to_index(l.to)]) continue;
    const link* const before = l.from >= 0 ? into_choice[to_index(l.from)] : nullptr;
    result.links.push_back(before ? link{numbered(before->from), numbered(l.to), before->records * l.records}
                                  : link{numbered(l.from), numbered(l.to), l.records});
  }
  return result;
}

std::string bottleneck_of(const cluster_prediction& p, const cluster& machines, const core_set& cores) {
  std::string ports;
  for (int m = 0; m < machines.machines(); ++m)
    for (const bool is_out : {true, false})
      if (cores.contains(is_out ? port_out(machines, m) : port_in(machines, m)))
        ports +=
            (ports.empty() ? "" : ", ") + std::string(is_out ? "out of" : "into") + " machine " + std::to_string(m);
  if (!ports.empty()) return "port " + ports;
  const auto is_named = [&](const std::string& name) {
    return p.predicted.bottleneck == "component " + name ||
           p.predicted.bottleneck.starts_with("component " + name + " on device ");
  };
  for (std::size_t c = 0; c < p.network.components.size(); ++c)
    if (is_named(p.network.components[c].name) && p.plan.parts[p.part[c]].what != kind::component)
      return (p.plan.parts[p.part[c]].what == kind::wire ? "link " : "credit of ") + p.network.components[c].name;
  return p.predicted.bottleneck;
}

}  // namespace

std::vector<double> placed_network::bytes_of_links() const {
  return bytes.empty() ? std::vector<double>(network.all_links().size(), 0.0) : bytes;
}

std::vector<int> placed_network::places() const {
  return at.empty() ? std::vector<int>(network.components.size(), 0) : at;
}

void placed_network::validate() const {
  network.validate();
  machines.validate();
  const std::vector<int> all = places();
  const std::string wrong = check_places(machines, names_of(network), all);
  require("machines", wrong.empty(), wrong);
  require("machines", bytes.empty() || bytes.size() == network.all_links().size(),
          "there are " + std::to_string(network.all_links().size()) + " links and bytes for " +
              std::to_string(bytes.size()));
  for (double b : bytes)
    require("machines", std::isfinite(b) && b >= 0, "a record has " + in_digits(b) + " bytes, expected was 0 or more");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const network_model::component& c = network.components[i];
    require("machines", !c.joins || all[i] != everywhere,
            '"' + c.name + "\" joins streams and is on every machine: expected was one machine");
    for (const link& l : network.all_links())
      require("machines", !c.joins || l.to != static_cast<int>(i) || l.from < 0 || all[to_index(l.from)] != everywhere,
              '"' + c.name + "\" joins streams, one of which comes from every machine: expected was one machine");
    require("machines", c.device < 0 || all[i] == 0,
            '"' + c.name + "\" is on a device: devices are those of machine 0");
  }
}

cluster_capacity::cluster_capacity(const placed_network& of)
    : of_((of.validate(), of)),
      flow_(flow_of(of.network)),
      bytes_(of.bytes_of_links()),
      links_(of.network.all_links()),
      best_(of.network.components.size()) {}

const cluster_capacity::lanes& cluster_capacity::best(std::size_t component, int cores) {
  const network_model::component& c = of_.network.components[component];
  std::vector<lanes>& known = best_[component];
  for (int p = static_cast<int>(known.size()) + 1; p <= cores; ++p) {
    lanes made = known.empty() ? lanes{} : known.back();  // a core more may stay idle
    const int widest = std::min(p, c.max_width);
    constexpr int all_widths_up_to = 64;
    for (int w = 1; w <= widest; w = p <= all_widths_up_to || w >= widest ? w + 1 : std::min(2 * w, widest)) {
      const double rate = rate_of_lanes(p, w, [&](int on) { return c.time_on(on); });
      if (rate > made.rate * (1 + relative_rounding)) made = {rate, w};
    }
    known.push_back(made);
  }
  return known[to_index(cores - 1)];
}

int cluster_capacity::cores_for(std::size_t component, double rate, int most) {
  const network_model::component& c = of_.network.components[component];
  for (int p = c.min_cores; p <= std::min(most, c.max_cores); ++p)
    if (best(component, p).rate >= rate) return p;
  return 0;
}

// The cores that each member owns so that `rate` records a second can enter; 0: it shares. Empty: there are too few.
std::vector<int> cluster_capacity::owned(const std::vector<std::size_t>& members, const std::vector<double>& visits,
                                         double rate, int cores) {
  std::vector<int> result;
  double shared = 0;
  bool is_shared = false;
  int used = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const network_model::component& c = of_.network.components[members[k]];
    const double wanted = rate * visits[k], one = wanted * c.time_on(1);
    if (c.min_cores <= 1 && one <= 1) {
      shared += one;
      is_shared = true;
      result.push_back(0);
      continue;
    }
    const int own = cores_for(members[k], wanted, cores - used);
    if (own == 0) return {};
    used += own;
    result.push_back(own);
  }
  const int group = is_shared ? as_int(std::ceil(shared * (1 - relative_rounding)), 1, cores + 1) : 0;
  return used + group <= cores ? result : std::vector<int>{};
}

cluster_capacity::division cluster_capacity::divide(const std::vector<std::size_t>& members,
                                                    const std::vector<double>& visits, int cores) {
  division result;
  double high = 0, work = 0;
  for (std::size_t k = 0; k < members.size(); ++k) work += visits[k] * of_.network.components[members[k]].time_on(1);
  if (!(work > 0)) {
    result.throughput = infinite_seconds;
    for (std::size_t k = 0; k < members.size(); ++k)
      result.components.push_back({core_set::range(0, of_.network.components[members[k]].min_cores), 1, false});
    return result;
  }
  std::vector<int> own = owned(members, visits, 0, cores);
  if (own.empty()) return result;
  // More cores may do more than their number: double the rate until it is too much, then bisect. The fastest time is
  // 1e36 times shorter than the slowest, on a million cores: 2^140.
  constexpr int most_doublings = 140, halvings = 50;
  double low = 0;
  high = 1 / work;
  for (int i = 0; i < most_doublings && !owned(members, visits, high, cores).empty(); ++i)
    low = std::exchange(high, 2 * high);
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (owned(members, visits, middle, cores).empty() ? high : low) = middle;
  }
  own = owned(members, visits, low, cores);
  int used = 0;
  for (int o : own) used += o;
  // The group has the cores that are left, as many as its members can use.
  int in_group = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const network_model::component& c = of_.network.components[members[k]];
    if (own[k] == 0) in_group = std::min(cores, in_group + std::max(1, std::min({cores, c.max_width, c.max_cores})));
  }
  result = divided(members, visits, own, std::min(cores - used, in_group));
  for (std::size_t member : members)
    if (of_.network.components[member].min_cores > 1) return result;
  division together = divided(members, visits, std::vector<int>(members.size(), 0), cores);
  return together.throughput > result.throughput * (1 + relative_rounding) ? together : result;
}

cluster_capacity::division cluster_capacity::divided(const std::vector<std::size_t>& members,
                                                     const std::vector<double>& visits, const std::vector<int>& own,
                                                     int group) {
  division result{.throughput = infinite_seconds, .components = {}};
  int next = group;
  double& limit = result.throughput;
  double shared = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const network_model::component& c = of_.network.components[members[k]];
    if (own[k] == 0) {
      const int at_once = std::max(1, std::min({group, c.max_width, c.max_cores}));
      result.components.push_back({core_set::range(0, group), at_once, group > 1});
      if (const double one = visits[k] * c.time_on(1); one > 0) {
        shared += one;
        limit = std::min(limit, at_once / one);
      }
    } else {
      result.components.push_back({core_set::range(next, own[k]), best(members[k], own[k]).width, false});
      next += own[k];
      if (visits[k] > 0) limit = std::min(limit, best(members[k], own[k]).rate / visits[k]);
    }
  }
  if (shared > 0) limit = std::min(limit, group / shared);
  return result;
}

double cluster_capacity::throughput(const std::vector<int>& at) {
  const cluster& machines = of_.machines;
  const int count = machines.machines();
  const network_model& network = of_.network;
  double limit = infinite_seconds;
  std::vector<std::vector<std::size_t>> members(to_index(count));
  std::vector<std::vector<double>> visits(to_index(count));
  for (std::size_t i = 0; i < at.size(); ++i) {
    const network_model::component& c = network.components[i];
    if (c.device >= 0) {
      const int at_once = std::min(c.max_width, network.devices[to_index(c.device)].slots / c.slots);
      if (flow_.visits[i] > 0) limit = std::min(limit, at_once / c.time_on(1) / flow_.visits[i]);
      continue;
    }
    for (int m = 0; m < count; ++m)
      if (at[i] == m || at[i] == everywhere) {
        members[to_index(m)].push_back(i);
        visits[to_index(m)].push_back(at[i] == everywhere ? flow_.visits[i] / count : flow_.visits[i]);
      }
  }
  for (int m = 0; m < count; ++m)
    if (!members[to_index(m)].empty())
      limit =
          std::min(limit, divide(members[to_index(m)], visits[to_index(m)], machines.cores[to_index(m)]).throughput);
  std::vector<double> out(to_index(count), 0), in(to_index(count), 0);
  const auto place = [&](int component) { return component < 0 ? 0 : at[to_index(component)]; };
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const int from = place(links_[l].from), to = place(links_[l].to);
    if (from == everywhere && to == everywhere) continue;
    const int ways = from == everywhere || to == everywhere ? count : 1;
    const double records = flow_.records[l] / ways;
    for (int k = 0; k < ways; ++k) {
      int here = from == everywhere ? k : from;
      for (int next : way_between(machines, here, to == everywhere ? k : to)) {
        const machine_link& on = machines.between(here, next);
        out[to_index(here)] += records * on.occupies(bytes_[l]);
        in[to_index(next)] += records * on.occupies(bytes_[l]);
        if (on.latency > 0 && records > 0)
          limit = std::min(limit, std::max(1, machines.window(bytes_[l]) / 2) / on.latency / records);
        here = next;
      }
    }
  }
  for (int m = 0; m < count; ++m)
    for (double busy : {out[to_index(m)], in[to_index(m)]})
      if (busy > 0) limit = std::min(limit, 1 / busy);
  return limit;
}

cluster_prediction predict_on_machines(const placed_network& of, const flow_options& options) {
  cluster_capacity capacity(of);
  const cluster& machines = of.machines;
  const std::vector<int> at = of.places();
  cluster_prediction result;
  result.plan = spread_over(machines, names_of(of.network), at, of.network.all_links(), of.bytes_of_links());
  result.network = network_of(result.plan, of.network, result.part);
  const network_flow flow = flow_of(result.network);
  result.where.components.resize(result.network.components.size());
  for (int m = 0; m < machines.machines(); ++m) {
    std::vector<std::size_t> members, parts;
    std::vector<double> visits;
    for (std::size_t c = 0; c < result.part.size(); ++c) {
      const cluster_plan::part& p = result.plan.parts[result.part[c]];
      if (p.what != kind::component || p.machine != m || of.network.components[p.of].device >= 0) continue;
      members.push_back(p.of), parts.push_back(c), visits.push_back(flow.visits[c]);
    }
    if (members.empty()) continue;
    cluster_capacity::division own = capacity.divide(members, visits, machines.cores[to_index(m)]);
    require("machines", own.throughput > 0,
            "machine " + std::to_string(m) + " has " + std::to_string(machines.cores[to_index(m)]) +
                " cores, too few for what runs there");
    for (std::size_t k = 0; k < parts.size(); ++k) {
      std::vector<int> cores;
      for (int core : own.components[k].cores) cores.push_back(machines.first_core(m) + core);
      own.components[k].cores = core_set(std::move(cores));
      result.where.components[parts[k]] = std::move(own.components[k]);
    }
  }
  for (std::size_t c = 0; c < result.part.size(); ++c) {
    const cluster_plan::part& p = result.plan.parts[result.part[c]];
    mapping::entry& e = result.where.components[c];
    if (p.what == kind::flight) e.width = p.at_once;
    if (p.what == kind::wire) e.cores = core_set({port_out(machines, p.machine), port_in(machines, p.to_machine)});
    if (p.what == kind::component && of.network.components[p.of].device >= 0) {
      const network_model::component& on = of.network.components[p.of];
      e.width = std::min(on.max_width, of.network.devices[to_index(on.device)].slots / on.slots);
    }
  }
  const int cores = machines.all_cores();
  result.predicted = predict_flow(result.network, result.where, cores + 2 * machines.machines(), options);
  result.predicted.bottleneck = bottleneck_of(result, machines, result.predicted.bottleneck_cores);
  for (int m = 0; m < machines.machines() && !result.predicted.cores.empty(); ++m)
    result.ports.push_back({result.predicted.cores[to_index(port_out(machines, m))],
                            result.predicted.cores[to_index(port_in(machines, m))]});
  if (!result.predicted.cores.empty()) result.predicted.cores.resize(to_index(cores));
  return result;
}

}  // namespace weir

#include <weir/scheduler/predict/network_model.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <stdexcept>

#include "scheduler/expect/visits.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir {
namespace {

std::vector<std::vector<std::size_t>> links_into(const network_model& network, const std::vector<link>& links) {
  std::vector<std::vector<std::size_t>> into(network.components.size());
  for (std::size_t l = 0; l < links.size(); ++l)
    if (links[l].to >= 0 && links[l].records > 0) into[to_index(links[l].to)].push_back(l);
  return into;
}

// The components that records reach from these links on, without passing component `without`.
std::vector<bool> reached_from(const std::vector<link>& links, std::size_t n, const std::vector<std::size_t>& first,
                               int without) {
  std::vector<bool> reached(n, false);
  std::vector<int> open;
  const auto reach = [&](const link& l) {
    if (l.to < 0 || l.to == without || !(l.records > 0) || reached[to_index(l.to)]) return;
    reached[to_index(l.to)] = true;
    open.push_back(l.to);
  };
  for (std::size_t l : first) reach(links[l]);
  while (!open.empty()) {
    const int i = open.back();
    open.pop_back();
    for (const link& l : links)
      if (l.from == i) reach(l);
  }
  return reached;
}

std::vector<std::size_t> entries_of(const std::vector<link>& links) {
  std::vector<std::size_t> entries;
  for (std::size_t l = 0; l < links.size(); ++l)
    if (links[l].from < 0) entries.push_back(l);
  return entries;
}

void validate_component(const network_model& network, const network_model::component& c) {
  const std::string who = "component \"" + c.name + "\" ";
  require("network", static_cast<bool>(c.seconds), who + "has no cost");
  require("network", std::isfinite(c.variation) && c.variation >= 0,
          who + "has variation " + in_digits(c.variation) + ", expected was 0 or more");
  require("network", 1 <= c.min_cores && c.min_cores <= c.max_cores,
          who + "has min_cores " + std::to_string(c.min_cores) + " and max_cores " + std::to_string(c.max_cores) +
              ", expected was 1 <= min_cores <= max_cores");
  require("network", c.max_width >= 1, who + "has width " + std::to_string(c.max_width) + ", expected was 1 or more");
  require("network", c.device >= -1 && c.device < std::ssize(network.devices),
          who + "is on a device that there is not");
  require("network", c.slots >= 1, who + "takes " + std::to_string(c.slots) + " slots, expected was 1 or more");
  (void)c.time_on(1);
}

// The most that each component may have, and the least that some component must have.
constexpr double least_visits = 1e-30, most_visits = 1e12;

}  // namespace

double network_model::component::time_on(int cores) const {
  const double time = seconds(cores);
  if (is_time(time)) return time;
  throw std::invalid_argument("network: component \"" + name + "\" takes " + in_digits(time) + " seconds on " +
                              std::to_string(cores) + (cores == 1 ? " core" : " cores") + ", expected was " +
                              in_digits(least_time) + " to " + in_digits(most_time));
}

std::vector<link> network_model::all_links() const {
  if (!links.empty()) return links;
  std::vector<link> chain;
  const int n = static_cast<int>(components.size());
  for (int i = 0; i <= n; ++i) chain.push_back({i - 1, i == n ? -1 : i, 1});
  return chain;
}

void network_model::validate() const {
  require("network", !components.empty(), "there are no components");
  std::set<std::string> names;
  for (const device& d : devices) {
    require("network", !d.name.empty() && names.insert(d.name).second, "a device has no name or one that is taken");
    require("network", d.slots >= 1,
            "device \"" + d.name + "\" has " + std::to_string(d.slots) + " slots, expected was 1 or more");
  }
  names.clear();
  for (const component& c : components) {
    require("network", !c.name.empty(), "a component has no name");
    require("network", names.insert(c.name).second, "two components are called \"" + c.name + "\"");
    validate_component(*this, c);
  }
  const std::vector<link> all = all_links();
  const int n = static_cast<int>(components.size());
  for (const link& l : all) {
    require("network", l.from >= -1 && l.from < n && l.to >= -1 && l.to < n,
            "a link leads from or to a component that there is not");
    require("network", l.records >= 0 && l.records <= most_visits,
            "a link carries " + in_digits(l.records) + " records, expected was 0 to 1e12");
  }
  const std::vector<std::size_t> entries = entries_of(all);
  const std::vector<bool> reached = reached_from(all, components.size(), entries, -1);
  require("network", std::any_of(reached.begin(), reached.end(), [](bool is) { return is; }),
          "no link leads from the input to a component");
  const std::vector<std::vector<std::size_t>> into = links_into(*this, all);
  for (int j = 0; j < n; ++j) {
    if (!components[to_index(j)].joins) continue;
    const std::vector<bool> before = reached_from(all, components.size(), entries, j);
    for (std::size_t l : into[to_index(j)])
      require("network", all[l].from < 0 || before[to_index(all[l].from)],
              "\"" + components[to_index(j)].name + "\" joins what it makes itself, or what never comes, from \"" +
                  (all[l].from < 0 ? "input" : components[to_index(all[l].from)].name) + "\"");
  }
}

network_flow flow_of(const network_model& network) {
  network.validate();
  const std::size_t n = network.components.size();
  const std::vector<link> links = network.all_links();
  const std::vector<std::vector<std::size_t>> into = links_into(network, links);
  const std::vector<std::size_t> entries = entries_of(links);
  std::vector<std::vector<bool>> fed_by(entries.size());  // by entry
  for (std::size_t e = 0; e < entries.size(); ++e) fed_by[e] = reached_from(links, n, {entries[e]}, -1);
  const auto feeds = [&](std::size_t e, std::size_t l) {
    return links[l].from < 0 ? entries[e] == l : fed_by[e][to_index(links[l].from)];
  };
  std::vector<std::size_t> slowest(n, links.size());  // of a join: the link that determines how often it runs
  for (std::size_t j = 0; j < n; ++j)
    if (network.components[j].joins && !into[j].empty()) slowest[j] = into[j].front();

  network_flow flow;
  flow.held.resize(links.size());
  std::vector<double> opened(entries.size(), 1.0);  // the part of each entry's records that joins let in
  const auto solve = [&] {
    std::vector<double> source(n, 0.0);
    std::vector<route> routing;
    for (std::size_t l = 0; l < links.size(); ++l) {
      const auto [from, to, records] = links[l];
      if (to < 0 || (network.components[to_index(to)].joins && slowest[to_index(to)] != l)) continue;
      if (from >= 0)
        routing.push_back({from, to, records});
      else
        source[to_index(to)] +=
            records *
            opened[to_index(static_cast<int>(std::find(entries.begin(), entries.end(), l) - entries.begin()))];
    }
    flow.visits = visits_of(source, std::vector<double>(n, 1.0), routing);
    for (std::size_t i = 0; i < n; ++i)
      require("network", flow.visits[i] <= most_visits,
              "one record that enters causes more than 1e12 invocations of \"" + network.components[i].name + '"');
    flow.records.assign(links.size(), 0);
    for (std::size_t l = 0; l < links.size(); ++l)
      flow.records[l] = links[l].records * (links[l].from < 0 ? 0 : flow.visits[to_index(links[l].from)]);
    for (std::size_t e = 0; e < entries.size(); ++e) flow.records[entries[e]] = links[entries[e]].records * opened[e];
  };
  // Each join runs as often as its slowest stream lets it. The choice of that stream changes until it is right
  // everywhere (Howard's policy iteration, for a minimum of linear systems). Only then are sources held back. After the
  // last round the choice stands. NaN is not less, so it changes no choice.
  const auto balance = [&] {
    for (std::size_t round = 0; round <= links.size() + n; ++round) {
      solve();
      bool changed = false;
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t l : into[j])
          if (network.components[j].joins && flow.records[l] < flow.records[slowest[j]] * (1 - relative_rounding))
            slowest[j] = l, changed = true;
      if (!changed) return;
    }
  };
  const auto hold_back = [&] {
    for (std::size_t j = 0; j < n; ++j) {
      if (!network.components[j].joins) continue;
      for (std::size_t l : into[j]) {
        const double least = flow.records[slowest[j]];
        if (flow.records[l] <= least * (1 + relative_rounding)) continue;
        for (std::size_t e = 0; e < entries.size(); ++e) {
          if (opened[e] <= 0 || !feeds(e, l) || feeds(e, slowest[j])) continue;
          const double before = opened[e], carried = flow.records[l];
          opened[e] = 0;
          balance();
          const double others = flow.records[l], own = carried - others;
          opened[e] = own > 0 ? before * std::clamp((least - others) / own, 0.0, 1.0) : before;
          balance();
          if (opened[e] < before * (1 - relative_rounding)) return true;
        }
      }
    }
    return false;
  };
  balance();
  // After the last round any excess that is not held back yet stays in `held`.
  for (std::size_t round = 0; round < 20 * (links.size() + 1) && hold_back(); ++round)
    ;
  require("network", std::any_of(flow.visits.begin(), flow.visits.end(), [](double v) { return v >= least_visits; }),
          "less than one in 1e30 of the records that enter reaches a component");
  flow.gain.assign(n, 0);
  for (const link& l : links)
    if (l.from >= 0) flow.gain[to_index(l.from)] += l.records;
  for (std::size_t l = 0; l < links.size(); ++l)
    if (links[l].to >= 0 && network.components[to_index(links[l].to)].joins)
      flow.held[l] = std::max(0.0, flow.records[l] - flow.visits[to_index(links[l].to)]);
  return flow;
}

}  // namespace weir

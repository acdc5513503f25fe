#include <weir/scheduler/predict/network_model.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>

#include "scheduler/expect/visits.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir {
namespace {

// By component, the links that bring records to a join; none for others.
std::vector<std::vector<std::size_t>> links_into_joins(const network_model& network, const std::vector<link>& links) {
  std::vector<std::vector<std::size_t>> into(network.components.size());
  for (std::size_t l = 0; l < links.size(); ++l)
    if (links[l].to >= 0 && links[l].records > 0 && network.components[to_index(links[l].to)].joins)
      into[to_index(links[l].to)].push_back(l);
  return into;
}

// The components that records of this link from the input reach, or those of all, without passing component `without`.
std::vector<bool> reached_from(const std::vector<link>& links, std::size_t n, std::optional<std::size_t> entry,
                               int without) {
  std::vector<bool> reached(n, false);
  std::vector<int> open{-1};
  while (!open.empty()) {
    const int from = open.back();
    open.pop_back();
    for (std::size_t l = 0; l < links.size(); ++l) {
      const int to = links[l].to;
      if (links[l].from != from || (from < 0 && entry.value_or(l) != l)) continue;
      if (to < 0 || to == without || !(links[l].records > 0) || reached[to_index(to)]) continue;
      reached[to_index(to)] = true;
      open.push_back(to);
    }
  }
  return reached;
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
  require("network", c.priority >= 1, who + "has priority " + std::to_string(c.priority) + ", expected was 1 or more");
  require("network", c.slots >= 1, who + "takes " + std::to_string(c.slots) + " slots, expected was 1 or more");
  (void)c.time_on(1);
}

// The most that each component may have, and the least that some component must have.
constexpr double least_visits = 1e-30, most_visits = 1e12;

// Finds the flow of a network: how often each join runs, and the part of the records that joins let in.
class flow_solver {
 public:
  explicit flow_solver(const network_model& network)
      : network_(network),
        links_(network.all_links()),
        into_(links_into_joins(network, links_)),
        slowest_(n_, links_.size()),
        opened_(links_.size(), 1.0),
        fed_by_(links_.size()) {
    for (std::size_t l = 0; l < links_.size(); ++l)
      if (links_[l].from < 0) fed_by_[l] = reached_from(links_, n_, l, -1);
    for (std::size_t j = 0; j < n_; ++j)
      if (!into_[j].empty()) slowest_[j] = into_[j].front();
  }

  network_flow result() {
    balance();
    // After the last round any excess that is not held back yet stays in `held`.
    for (std::size_t round = 0; round < 20 * (links_.size() + 1) && hold_back(); ++round)
      ;
    require("network", std::ranges::any_of(flow_.visits, [](double v) { return v >= least_visits; }),
            "less than one in 1e30 of the records that enter reaches a component");
    flow_.gain.assign(n_, 0);
    flow_.held.assign(links_.size(), 0);
    for (std::size_t l = 0; l < links_.size(); ++l) {
      const auto [from, to, records] = links_[l];
      if (from >= 0) flow_.gain[to_index(from)] += records;
      if (to >= 0 && joins(to_index(to))) flow_.held[l] = std::max(0.0, flow_.records[l] - flow_.visits[to_index(to)]);
    }
    return std::move(flow_);
  }

 private:
  bool joins(std::size_t i) const { return network_.components[i].joins; }

  // Whether records of the entry come along the link.
  bool feeds(std::size_t entry, std::size_t l) const {
    return links_[l].from < 0 ? entry == l : fed_by_[entry][to_index(links_[l].from)];
  }

  void solve() {
    std::vector<double> source(n_, 0.0);
    std::vector<route> routing;
    for (std::size_t l = 0; l < links_.size(); ++l) {
      const auto [from, to, records] = links_[l];
      if (to < 0 || (joins(to_index(to)) && slowest_[to_index(to)] != l)) continue;
      if (from >= 0)
        routing.push_back({from, to, records});
      else
        source[to_index(to)] += records * opened_[l];
    }
    flow_.visits = visits_of(source, std::vector<double>(n_, 1.0), routing);
    for (std::size_t i = 0; i < n_; ++i)
      require("network", flow_.visits[i] <= most_visits,
              "one record that enters causes more than 1e12 invocations of \"" + network_.components[i].name + '"');
    flow_.records.clear();
    for (std::size_t l = 0; l < links_.size(); ++l)
      flow_.records.push_back(links_[l].records *
                              (links_[l].from < 0 ? opened_[l] : flow_.visits[to_index(links_[l].from)]));
  }

  // Each join runs as often as its slowest stream lets it. The choice of that stream changes until it is right
  // everywhere (Howard's policy iteration, for a minimum of linear systems). Only then are sources held back. After the
  // last round the choice stands. NaN is not less, so it changes no choice.
  void balance() {
    bool changed = true;
    for (std::size_t round = 0; round <= links_.size() + n_ && changed; ++round) {
      solve();
      changed = false;
      for (std::size_t j = 0; j < n_; ++j)
        for (std::size_t l : into_[j])
          if (flow_.records[l] < flow_.records[slowest_[j]] * (1 - relative_rounding)) slowest_[j] = l, changed = true;
    }
  }

  bool hold_back() {
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t l : into_[j])
        for (std::size_t e = 0; e < links_.size(); ++e)
          if (links_[e].from < 0 && hold_back(e, l, slowest_[j])) return true;
    return false;
  }

  // Lets in less from the entry, until the link carries no more records than the slowest one of its join.
  bool hold_back(std::size_t entry, std::size_t l, std::size_t slowest) {
    const double before = opened_[entry], carried = flow_.records[l], least = flow_.records[slowest];
    if (carried <= least * (1 + relative_rounding) || before <= 0 || !feeds(entry, l) || feeds(entry, slowest))
      return false;
    opened_[entry] = 0;
    balance();
    const double others = flow_.records[l], own = carried - others;
    opened_[entry] = own > 0 ? before * std::clamp((least - others) / own, 0.0, 1.0) : before;
    balance();
    return opened_[entry] < before * (1 - relative_rounding);
  }

  const network_model& network_;
  const std::size_t n_ = network_.components.size();
  const std::vector<link> links_;
  const std::vector<std::vector<std::size_t>> into_;  // links_into_joins()
  std::vector<std::size_t> slowest_;                  // of a join: the link that determines how often it runs
  std::vector<double> opened_;             // by link from the input: the part of its records that joins let in
  std::vector<std::vector<bool>> fed_by_;  // by link from the input: the components that its records reach
  network_flow flow_;
};

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

int network_model::most_by_needs(std::size_t component) const {
  int most = unlimited;
  for (const need& n : components[component].needs) {
    const double fit = resources[to_index(n.resource)].total / n.amount * (1 + relative_rounding);
    most = std::min(most, as_int(std::floor(fit), 1, unlimited));
  }
  return most;
}

void network_model::validate() const {
  require("network", !components.empty(), "there are no components");
  std::set<std::string> names;
  for (const device& d : devices) {
    require("network", !d.name.empty() && names.insert(d.name).second, "a device has no name or one that is taken");
    require("network", d.slots >= 1,
            "device \"" + d.name + "\" has " + std::to_string(d.slots) + " slots, expected was 1 or more");
  }
  for (const resource& r : resources)
    require("network", r.total > 0 && r.total <= most_time,
            "there is " + in_digits(r.total) + " of resource \"" + r.name + "\", expected was more than 0");
  for (const component& c : components)
    for (const need& n : c.needs) {
      require(
          "network", n.resource >= 0 && n.resource < std::ssize(resources),
          '"' + c.name + "\" needs resource " + std::to_string(n.resource) + " of " + std::to_string(resources.size()));
      const resource& of = resources[to_index(n.resource)];
      require("network", n.amount > 0 && n.amount <= of.total,
              '"' + c.name + "\" needs " + in_digits(n.amount) + " of resource \"" + of.name +
                  "\", expected was more than 0 and " + in_digits(of.total) + " at most");
    }
  names.clear();
  for (const component& c : components) {
    require("network", !c.name.empty(), "a component has no name");
    require("network", names.insert(c.name).second, "two components are called \"" + c.name + "\"");
    validate_component(*this, c);
    require("network", c.together >= 1 && c.together <= most_visits && c.batch_start >= 0,
            '"' + c.name + "\" takes " + in_digits(c.together) +
                " records together, expected was 1 to 1e12, and starts in " + in_digits(c.batch_start) +
                " seconds, expected was 0 or more");
  }
  const std::vector<link> all = all_links();
  const int n = static_cast<int>(components.size());
  for (const link& l : all) {
    require("network", l.from >= -1 && l.from < n && l.to >= -1 && l.to < n,
            "a link leads from or to a component that there is not");
    require("network", l.records >= 0 && l.records <= most_visits,
            "a link carries " + in_digits(l.records) + " records, expected was 0 to 1e12");
  }
  const std::vector<bool> reached = reached_from(all, components.size(), {}, -1);
  require("network", std::ranges::count(reached, true) > 0, "no link leads from the input to a component");
  const std::vector<std::vector<std::size_t>> into = links_into_joins(*this, all);
  for (int j = 0; j < n; ++j) {
    if (into[to_index(j)].empty()) continue;
    const std::vector<bool> before = reached_from(all, components.size(), {}, j);
    for (std::size_t l : into[to_index(j)])
      require("network", all[l].from < 0 || before[to_index(all[l].from)],
              "\"" + components[to_index(j)].name + "\" joins what it makes itself, or what never comes, from \"" +
                  (all[l].from < 0 ? "input" : components[to_index(all[l].from)].name) + "\"");
  }
}

network_flow flow_of(const network_model& network) {
  network.validate();
  return flow_solver(network).result();
}

}  // namespace weir

#include "scheduler/simulate/scenario.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "scheduler/devices/device_rule.hpp"
#include "scheduler/expect/visits.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir::simulation {
namespace {

constexpr double most_coupling = 1000;  // a longer time than that of a thousand neighbours is a mistake in the input

// `what` is the place of the range: "component "a": x".
void validate(const input_range& x, const std::string& what) {
  if (x.how == input_range::shape::values) {
    require(!x.values.empty(), what + ": there are no values");
    for (double v : x.values)
      require(std::isfinite(v) && v >= 0, what + ": " + in_digits(v) + " is not a number of 0 or more");
    return;
  }
  require(std::isfinite(x.low) && x.low >= 0, what + ": from " + in_digits(x.low) + ", expected was 0 or more");
  if (x.how == input_range::shape::exponential) return;
  require(std::isfinite(x.high) && x.high >= x.low,
          what + ": " + in_digits(x.low) + " to " + in_digits(x.high) + " is no range");
  if (x.how == input_range::shape::log_uniform) require(x.low > 0, what + ": a log-uniform range must begin above 0");
}

void validate(const simulated_device& d) {
  const std::string who = "device \"" + d.name + "\"";
  require(d.slots >= 1 && d.slots <= 1024, who + " has " + std::to_string(d.slots) + " slots, expected were 1 to 1024");
  for (const simulated_device::failure& f : d.fails)
    require(f.from >= 0 && f.until > f.from && std::isfinite(f.until),
            who + " fails from " + in_digits(f.from) + " to " + in_digits(f.until) +
                ", expected were times that follow each other");
}

void validate_second(const simulated_component& c, const scenario& of) {
  const std::string who = "component \"" + c.name + "\"";
  const simulated_component::on_device& on = *c.second;
  require(on.device >= 0 && to_index(on.device) < of.devices.size(),
          who + ": it runs on device " + std::to_string(on.device) + " of " + std::to_string(of.devices.size()));
  require(static_cast<bool>(on.cost), who + " has no cost on its device");
  require(c.blocking == 0, who + " has a device, and runs outside the cores");
  require(on.batch_start >= 0 && on.batch_start <= most_time, who + ": an invocation on its device begins with " +
                                                                  in_digits(on.batch_start) + " s, expected was 0 to " +
                                                                  in_digits(most_time));
  require(c.needs.empty(), who + " has a device and needs resources: a simulation knows one of them");
  for (const double f : on.slot_factors)
    require(std::isfinite(f) && f > 0, who + ": a factor of slots is " + in_digits(f) + ", expected was more than 0");
  require(!on.from || !std::isnan(*on.from), who + ": the device runs records from x = NaN on, expected was a number");
  for (const simulated_component::phase& p : c.phases)
    for (double u : {0.01, 0.5, 0.99}) {
      const double time = on.batch_start + on.cost(p.x.at(u), 1) * p.factor;
      require(is_time(time), who + " takes " + in_digits(time) + " s on its device at x = " + in_digits(p.x.at(u)) +
                                 ", expected was " + in_digits(least_time) + " to " + in_digits(most_time) + " s");
    }
}

void validate_needs(const simulated_component& c, const scenario& of) {
  const std::string who = "component \"" + c.name + "\"";
  std::set<std::size_t> named;
  for (const simulated_component::need& n : c.needs) {
    require(n.of < of.resources.size(),
            who + " needs resource " + std::to_string(n.of) + " of " + std::to_string(of.resources.size()));
    const simulated_resource& r = of.resources[n.of];
    require(named.insert(n.of).second, who + " needs " + r.name + " twice");
    require(n.fixed >= 0 && n.fixed <= r.total, who + " needs " + in_digits(n.fixed) + " of " + r.name +
                                                    ", expected was 0 to its total of " + in_digits(r.total));
    require(n.per_x >= 0 && std::isfinite(n.per_x),
            who + " needs " + in_digits(n.per_x) + " of " + r.name + " for each x, expected was 0 or more");
    require(n.per_x == 0 || c.most_in_batch == 1,
            who + " takes batches and needs " + r.name + " by x: expected was a fixed amount for each batch");
  }
}

void validate(const simulated_component& c, const scenario& of) {
  const std::string who = "component \"" + c.name + "\"";
  require(static_cast<bool>(c.cost), who + " has no cost");
  require(c.phases.size() == 1 || c.phases.size() == of.phase_starts.size(),
          who + " has " + std::to_string(c.phases.size()) + " phases, the scenario " +
              std::to_string(of.phase_starts.size()));
  for (const simulated_component::phase& p : c.phases) {
    validate(p.x, who + ": x");
    require(std::isfinite(p.factor) && p.factor > 0,
            who + ": factor is " + in_digits(p.factor) + ", expected was more than 0");
    for (double u : {0.01, 0.5, 0.99})
      for (int cores : {1, of.cores}) (void)c.time_of(p.x.at(u), cores, p);
  }
  require(c.degree >= 0 && c.degree <= 8, who + ": degree is " + std::to_string(c.degree) + ", expected was 0 to 8");
  require(c.noise >= 0 && c.noise <= 2, who + ": noise is " + in_digits(c.noise) + ", expected was 0 to 2");
  require(c.late.part >= 0 && c.late.part < 1,
          who + ": outliers: part is " + in_digits(c.late.part) + ", expected was 0 up to 1");
  require(c.late.low >= 1, who + ": outliers: factor is " + in_digits(c.late.low) + ", expected was 1 or more");
  require(c.late.exponent > 1,
          who + ": outliers: exponent is " + in_digits(c.late.exponent) + ", expected was more than 1");
  const auto require_coupling = [&](const char* key, double value) {
    require(value >= 0 && value <= most_coupling,
            who + ": " + key + " is " + in_digits(value) + ", expected was 0 to " + in_digits(most_coupling));
  };
  require_coupling("pressure", c.pressure);
  require_coupling("sensitivity", c.sensitivity);
  require(c.min_cores >= 1 && c.min_cores <= c.max_cores,
          who + ": min_cores is " + std::to_string(c.min_cores) + ", max_cores " + std::to_string(c.max_cores));
  require(c.blocking >= 0, who + ": blocking is " + std::to_string(c.blocking) + ", expected was 0 or more");
  require(c.priority >= 1 && c.priority <= 1000,
          who + ": priority is " + std::to_string(c.priority) + ", expected was 1 to 1000");
  require(c.max_width >= 1, who + ": width is " + std::to_string(c.max_width) + ", expected was 1 or more");
  require(c.machine >= 0 && c.machine < of.machines(), who + ": machine is " + std::to_string(c.machine) +
                                                           ", expected was 0 to " + std::to_string(of.machines() - 1));
  for (const double f : c.kind_factors)
    require(std::isfinite(f) && f > 0, who + ": a kind's factor is " + in_digits(f) + ", expected was more than 0");
  require(c.takes.empty() || c.blocking > 0, who + " takes what is not a core, and does not run outside the cores");
  if (c.second) validate_second(c, of);
  validate_needs(c, of);
}

// An hour's worth. Copies that links make, and loops, count.
constexpr double most_invocations = 1e10;

void validate_visits(const std::vector<link>& links, const scenario& of) {
  const std::size_t n = of.components.size();
  std::vector<double> source(n, 0), ways_in(n, 0);
  for (const link& l : links)
    if (l.to >= 0) ways_in[to_index(l.to)] += 1;
  std::vector<route> routing;
  for (const link& l : links) {
    if (l.to < 0) continue;
    const double part = of.components[to_index(l.to)].joins ? l.records / ways_in[to_index(l.to)] : l.records;
    if (l.from < 0)
      source[to_index(l.to)] += part;
    else
      routing.push_back({l.from, l.to, part});
  }
  std::vector<double> visits;
  try {
    visits = weir::visits_of(source, std::vector<double>(n, 1), routing);
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument("links: a loop returns as many records as it takes, or more");
  }
  const double all = std::accumulate(visits.begin(), visits.end(), 0.0) * static_cast<double>(of.records);
  require(all <= most_invocations,
          "links: the run would have " + in_digits(all) + " invocations, expected were 1e10 at most");
}

void validate(const std::vector<link>& links, const scenario& of) {
  const int n = static_cast<int>(of.components.size());
  bool enters = false, leaves = false;
  std::vector<double> chance(of.components.size(), 0);
  for (const link& l : links) {
    require(l.from >= -1 && l.from < n && l.to >= -1 && l.to < n && (l.from >= 0 || l.to >= 0),
            "links: a link goes from component " + std::to_string(l.from) + " to " + std::to_string(l.to) + " of " +
                std::to_string(n));
    require(l.records >= 0 && l.records <= 1e9,
            "links: records is " + in_digits(l.records) + ", expected was 0 to 1e9");
    if (l.from >= 0) chance[static_cast<std::size_t>(l.from)] += l.records;
    enters |= l.from < 0;
    leaves |= l.to < 0;
    if (l.from < 0) require(l.records == 1, "links: of a record that enters, a link from the input takes exactly one");
    if (l.to >= 0 && of.components[static_cast<std::size_t>(l.to)].joins)
      require(
          l.records == 1 && (l.from < 0 || !of.components[static_cast<std::size_t>(l.from)].chooses) && l.from < l.to,
          "component \"" + of.components[static_cast<std::size_t>(l.to)].name +
              "\" joins: each of its links must carry exactly one copy of every record, forward");
  }
  require(enters, "links: none comes from the input");
  require(leaves, "links: none goes to the output");
  for (int i = 0; i < n; ++i)
    if (of.components[static_cast<std::size_t>(i)].chooses)
      require(std::abs(chance[static_cast<std::size_t>(i)] - 1) < 1e-9,
              "component \"" + of.components[static_cast<std::size_t>(i)].name +
                  "\" chooses: the probabilities of its links sum to " +
                  in_digits(chance[static_cast<std::size_t>(i)]));
  validate_visits(links, of);
}

void validate(const network_phase& phase, std::size_t index, const scenario& of) {
  const std::string where = "phase " + std::to_string(index) + ": ";
  require(phase.cores >= 0 && phase.cores <= of.cores, where + "cores is " + std::to_string(phase.cores) +
                                                           ", expected was 1 to the scenario's " +
                                                           std::to_string(of.cores));
  if (phase.records.empty()) return;
  require(phase.records.size() == of.all_links().size(),
          where + "it has the records of " + std::to_string(phase.records.size()) + " links, the scenario has " +
              std::to_string(of.all_links().size()));
  try {
    validate(of.links_in(index), of);
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(where + e.what());
  }
}

void validate(const slow_down& slow, std::size_t index, const scenario& of) {
  const std::string where = "slow_downs[" + std::to_string(index) + "]: ";
  for (std::size_t i : slow.components)
    require(i < of.components.size(), where + "there is no component " + std::to_string(i));
  for (std::size_t j : slow.phases)
    require(j < of.phase_starts.size(), where + "there is no phase " + std::to_string(j) + "; the scenario has " +
                                            std::to_string(of.phase_starts.size()));
  // A period must have a length, else a run would draw them for ever.
  constexpr double shortest_period = 1e-6, least_factor = 1e-3;
  const auto check = [&](const input_range& range, const std::string& key, double least) {
    validate(range, where + key);
    const double u = range.how == input_range::shape::exponential ? 0.5 : 0.001;
    double low = range.at(u);
    if (range.how == input_range::shape::values) low = *std::min_element(range.values.begin(), range.values.end());
    require(low >= least,
            where + key + " may be " + in_digits(low) + ", expected was " + in_digits(least) + " or more");
  };
  check(slow.factor, "factor", least_factor);
  check(slow.every, "every", shortest_period);
  check(slow.lasts, "lasts", shortest_period);
}

}  // namespace

double simulated_component::time_of(double x, int on_cores, const phase& in_phase) const {
  const double time = cost(x, on_cores) * in_phase.factor;
  if (is_time(time)) return time;
  throw std::invalid_argument("component \"" + name + "\" takes " + in_digits(time) + " s at x = " + in_digits(x) +
                              " on " + std::to_string(on_cores) + (on_cores == 1 ? " core" : " cores") +
                              ", expected was " + in_digits(least_time) + " to " + in_digits(most_time) + " s");
}

double input_range::at(double u) const {
  switch (how) {
    case shape::uniform:
      return low + u * (high - low);
    case shape::log_uniform:
      return low * std::pow(high / low, u);
    case shape::exponential:
      return -low * std::log1p(-u);
    case shape::values:
      break;
  }
  return values[std::min(static_cast<std::size_t>(u * static_cast<double>(values.size())), values.size() - 1)];
}

void scenario::validate() const {
  require(cores >= 1 && cores <= most_cores,
          "cores is " + std::to_string(cores) + ", expected was 1 to " + std::to_string(most_cores));
  require(!components.empty(), "there are no components");
  require(records >= 1 && records <= most_records, "records is " + std::to_string(records) + ", expected was 1 to 1e9");
  require(std::isfinite(move_cost) && move_cost >= 0,
          "move_cost is " + in_digits(move_cost) + ", expected was 0 or more");
  require(!phase_starts.empty() && phase_starts[0] == 0, "the first phase must begin with record 0");
  for (std::size_t i = 1; i < phase_starts.size(); ++i)
    require(phase_starts[i] > phase_starts[i - 1] && phase_starts[i] < records,
            "a phase begins with record " + std::to_string(phase_starts[i]) +
                ", expected was after the phase before and before the last record");
  std::set<std::string> names;
  for (const simulated_device& d : devices) {
    require(!d.name.empty(), "a device has no name");
    require(names.insert(d.name).second, "two devices are called \"" + d.name + "\"");
    simulation::validate(d);
  }
  names.clear();
  for (const simulated_resource& r : resources) {
    require(!r.name.empty(), "a resource has no name");
    require(names.insert(r.name).second, "two resources are called \"" + r.name + "\"");
    require(std::isfinite(r.total) && r.total > 0,
            "resource \"" + r.name + "\" has a total of " + in_digits(r.total) + ", expected was more than 0");
  }
  names.clear();
  for (const simulated_component& c : components) {
    require(!c.name.empty(), "a component has no name");
    require(names.insert(c.name).second, "two components are called \"" + c.name + "\"");
    simulation::validate(c, *this);
  }
  simulation::validate(all_links(), *this);
  require(
      phases.empty() || phases.size() == phase_starts.size(),
      "there are changes for " + std::to_string(phases.size()) + " phases of " + std::to_string(phase_starts.size()));
  for (std::size_t j = 0; j < phases.size(); ++j) simulation::validate(phases[j], j, *this);
  if (!machine_cores.empty()) {
    require(std::accumulate(machine_cores.begin(), machine_cores.end(), 0LL) == cores &&
                *std::min_element(machine_cores.begin(), machine_cores.end()) >= 1,
            "the machines have other cores than the scenario's " + std::to_string(cores));
    for (const network_phase& p : phases)
      require(p.cores == 0, "the cores of several machines do not change in phases");
  }
  for (std::size_t k = 0; k < slow_downs.size(); ++k) simulation::validate(slow_downs[k], k, *this);
  coming.validate(records);
}

core_set scenario::cores_of(int of_machine, std::size_t phase) const {
  if (machine_cores.empty()) return core_set::range(0, cores_in(phase));
  const auto at = machine_cores.begin() + of_machine;
  return core_set::range(std::accumulate(machine_cores.begin(), at, 0), *at);
}

std::vector<link> scenario::all_links() const {
  if (!links.empty()) return links;
  std::vector<link> chain;
  const int n = static_cast<int>(components.size());
  for (int i = 0; i <= n; ++i) chain.push_back({i - 1, i == n ? -1 : i, 1});
  return chain;
}

std::vector<link> scenario::links_in(std::size_t phase) const {
  std::vector<link> all = all_links();
  if (phase < phases.size() && !phases[phase].records.empty())
    for (std::size_t k = 0; k < all.size(); ++k) all[k].records = phases[phase].records[k];
  return all;
}

int scenario::cores_in(std::size_t phase) const {
  return phase < phases.size() && phases[phase].cores > 0 ? phases[phase].cores : cores;
}

std::size_t scenario::most_waiting_at_device(std::size_t component, int lanes) const {
  const simulated_component& c = components[component];
  const int slots = devices[to_index(c.second->device)].slots;
  return to_index(c.most_in_batch > 1 ? most_batches_at_device(lanes, slots, c.max_width)
                                      : most_at_device(cores, slots, c.max_width));
}

bool scenario::changes_routing() const {
  return std::any_of(phases.begin(), phases.end(), [](const network_phase& p) { return !p.records.empty(); });
}

std::uint64_t scenario::records_in(std::size_t phase) const {
  return (phase + 1 < phase_starts.size() ? phase_starts[phase + 1] : records) - phase_starts[phase];
}

std::vector<double> factors_of(const simulated_component& of, const topology& machine) {
  const std::size_t kinds = machine.kinds().size();
  require(of.kind_factors.empty() || of.kind_factors.size() == kinds,
          "component \"" + of.name + "\" has factors of " + std::to_string(of.kind_factors.size()) +
              " kinds of cores, the machine has " + std::to_string(kinds));
  if (!of.kind_factors.empty()) return of.kind_factors;
  std::vector<double> factors;
  for (const core_kind& k : machine.kinds()) factors.push_back(1 / k.speed);
  return factors;
}

std::vector<double> sampled(const input_range& range, int parts) {
  std::vector<double> values;
  for (int k = 0; k < parts; ++k) values.push_back(range.at((k + 0.5) / parts));
  return values;
}

std::vector<double> visits_of(const scenario& of, const std::vector<link>& each) {
  const std::size_t n = of.components.size();
  std::vector<double> links_in(n, 0);
  for (const link& l : each)
    if (l.to >= 0) links_in[static_cast<std::size_t>(l.to)] += 1;
  // Computed in rounds. Without a link back, a network is done after as many rounds as it is long. With one, every
  // round passes on fewer records than it got, so the rest soon vanishes; anything left after the last round is not
  // counted. NaN stays NaN.
  constexpr int most_rounds = 1000;
  std::vector<double> visits(n, 0);
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<double> next(n, 0);
    for (const link& l : each)
      if (l.to >= 0)
        next[static_cast<std::size_t>(l.to)] += l.records * (l.from < 0 ? 1 : visits[static_cast<std::size_t>(l.from)]);
    for (std::size_t i = 0; i < n; ++i)
      if (of.components[i].joins) next[i] /= links_in[i];
    if (next == visits) break;
    visits = std::move(next);
  }
  return visits;
}

std::vector<link> per_input(std::vector<link> each, const std::vector<double>& visits) {
  for (link& l : each)
    if (l.from >= 0) l.records *= visits[static_cast<std::size_t>(l.from)];
  return each;
}

}  // namespace weir::simulation

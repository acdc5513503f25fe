#include "scheduler/simulate/placed_scenario.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir::simulation {
namespace {

using kind = cluster_plan::part::kind;

constexpr double choice_seconds = 1e-9;  // no time, but a simulated invocation takes some
constexpr int choices_at_once = 16;

// The machines' ports are numbered: out of a machine, into it.
int port_out(int machine) { return 2 * machine; }
int port_in(int machine) { return 2 * machine + 1; }

simulated_component carrying(const cluster_plan::part& part) {
  simulated_component c;
  c.name = part.name;
  c.degree = 0;
  c.machine = part.machine;
  c.chooses = part.what == kind::choice;
  c.blocking = c.chooses ? choices_at_once : part.at_once;
  const double seconds = c.chooses ? choice_seconds : part.seconds;
  c.cost = [seconds](double, int) { return seconds; };
  if (part.what == kind::wire) c.takes = {port_out(part.machine), port_in(part.to_machine)};
  return c;
}

std::vector<std::string> names_in(const scenario& of) {
  std::vector<std::string> names;
  for (const simulated_component& c : of.components) names.push_back(c.name);
  return names;
}

// The mean and the squared coefficient of variation over inputs, phases and noise, on a number of cores.
struct moments {
  double mean = 0, variation = 0;
};
moments moments_of(const simulated_component& c, const scenario& of, int cores) {
  double sum = 0, squares = 0, weight = 0;
  for (std::size_t j = 0; j < of.phase_starts.size(); ++j) {
    const simulated_component::phase& p = c.in(j);
    const std::vector<double> inputs = sampled(p.x, 64);
    const double each = static_cast<double>(of.records_in(j)) / static_cast<double>(inputs.size());
    for (double x : inputs) {
      const double t = c.time_of(x, cores, p) * c.late.mean_factor();
      sum += each * t;
      squares += each * t * t;
      weight += each;
    }
  }
  const double mean = sum / weight, of_noise = std::exp(c.noise * c.noise);
  return {mean, std::max(0.0, squares / weight * of_noise / (mean * mean) - 1)};
}

}  // namespace

void placed_scenario::validate() const {
  network.validate();
  for (const simulated_component& c : network.components) {
    require("machines", !c.second,
            "component \"" + c.name + "\" has a device, which simulations of machines do not know");
    require("machines", c.needs.empty(),
            "component \"" + c.name + "\" needs resources, which simulations of machines do not know");
  }
  require("machines", !network.changes_routing(), "routing does not change in phases");
  for (const network_phase& p : network.phases)
    require("machines", p.cores == 0, "the cores of machines do not change in phases");
  model_of(*this).validate();
}

scenario spread_over_machines(const placed_scenario& of) {
  const scenario& given = of.network;
  const std::vector<int> at = of.at.empty() ? std::vector<int>(given.components.size(), 0) : of.at;
  const std::vector<link> links = given.all_links();
  const cluster_plan plan = spread_over(of.machines, names_in(given), at, links,
                                        of.bytes.empty() ? std::vector<double>(links.size(), 0.0) : of.bytes);
  scenario result = given;
  result.machine.clear();
  result.fixed.clear();
  result.phases.clear();
  result.cores = of.machines.all_cores();
  result.machine_cores = of.machines.cores;
  result.components.clear();
  std::vector<std::vector<std::size_t>> parts_of(given.components.size());
  for (const cluster_plan::part& part : plan.parts) {
    if (part.what == kind::component) {
      parts_of[part.of].push_back(result.components.size());
      result.components.push_back(given.components[part.of]);
      result.components.back().name = part.name;
      result.components.back().machine = part.machine;
    } else {
      result.components.push_back(carrying(part));
    }
  }
  result.links = plan.links;
  for (slow_down& slow : result.slow_downs) {
    std::vector<std::size_t> parts;
    for (std::size_t i = 0; i < parts_of.size(); ++i)
      if (slow.components.empty() || std::count(slow.components.begin(), slow.components.end(), i) > 0)
        parts.insert(parts.end(), parts_of[i].begin(), parts_of[i].end());
    slow.components = std::move(parts);
  }
  return result;
}

placed_network model_of(const placed_scenario& of) {
  placed_network result;
  result.bytes = of.bytes;
  result.at = of.at;
  result.machines = of.machines;
  result.network.links = of.network.all_links();
  for (const simulated_component& c : of.network.components) {
    network_model::component made;
    made.name = c.name;
    std::vector<double> means;
    const int most = *std::max_element(of.machines.cores.begin(), of.machines.cores.end());
    for (int p = 1; p <= most; ++p) means.push_back(moments_of(c, of.network, c.sequential ? 1 : p).mean);
    made.variation = moments_of(c, of.network, 1).variation;
    made.seconds = [means = std::move(means)](int cores) { return means[std::min(to_index(cores), means.size()) - 1]; };
    made.min_cores = c.min_cores;
    made.max_cores = c.max_cores;
    made.max_width = c.max_width;
    made.joins = c.joins;
    if (c.blocking > 0) {
      made.device = static_cast<int>(result.network.devices.size());
      made.max_width = c.blocking;
      result.network.devices.push_back({"threads of " + c.name, c.blocking});
    }
    result.network.components.push_back(std::move(made));
  }
  return result;
}

}  // namespace weir::simulation

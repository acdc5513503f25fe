#include "scheduler/expect/kind_times.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/expect/component_times.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir {
namespace {

double typical_x(const component_view& c) {
  if (!c.recent.empty()) return c.recent.back().x;
  return c.inputs.empty() ? 1 : c.inputs[c.inputs.size() / 2].x;
}

std::vector<int> cores_by_kind(const core_set& cores, const topology& machine) {
  std::vector<int> count(machine.kinds().size(), 0);
  for (const int core : cores) ++count[to_index(machine[core].kind)];
  return count;
}

// The lanes run side by side: their rates add up.
double owner_factor(const component_view& c, const share& own, const topology& machine) {
  double rates = 0;
  const std::vector<core_set> lanes = own.cores.slices(std::clamp(own.width, 1, own.cores.size()));
  for (const core_set& lane : lanes) rates += 1 / lane_factor(c, lane, machine);
  return static_cast<double>(lanes.size()) / rates;
}

}  // namespace

bool has_kinds(const system_view& view) { return view.machine && view.machine->kinds().size() > 1; }

std::vector<double> factors_by_kind(const component_view& component, const topology& machine) {
  if (!component.kind_factors.empty()) return component.kind_factors;
  std::vector<double> factors;
  for (const core_kind& k : machine.kinds()) factors.push_back(1 / k.speed);
  return factors;
}

double lane_factor(const core_set& lane, const topology& machine, const std::vector<double>& by_kind,
                   const std::function<double(int cores)>& mean) {
  double speeds = 0, fastest = 0, slowest = infinite_seconds;
  for (const int core : lane) {
    const double speed = 1 / by_kind[to_index(machine[core].kind)];
    speeds += speed;
    fastest = std::max(fastest, speed);
    slowest = std::min(slowest, speed);
  }
  if (fastest == slowest) return 1 / fastest;
  const double as_many = speeds / fastest;
  const int fewer = static_cast<int>(as_many);
  const double at_fewer = mean(fewer), at_more = mean(fewer + 1), on_all = mean(lane.size());
  const double slope = (at_fewer - at_more) * fewer * (fewer + 1);  // of the mean over 1/cores
  const double there = at_more + slope * (1 / as_many - 1.0 / (fewer + 1));
  const double factor = there / on_all / fastest;
  return factor > 0 && std::isfinite(factor) ? factor : lane.size() / speeds;
}

double lane_factor(const component_view& component, const core_set& lane, const topology& machine) {
  const double x = typical_x(component);
  return lane_factor(lane, machine, factors_by_kind(component, machine),
                     [&](int cores) { return component.model->mean(x, cores); });
}

group_times times_in_group(const std::vector<double>& seconds, const std::vector<std::vector<double>>& by_kind,
                           const std::vector<int>& cores) {
  group_times result;
  std::vector<double> rates;  // of all cores of a kind
  double all = 0;
  for (std::size_t k = 0; k < cores.size(); ++k) {
    double of_a_record = 0;
    for (std::size_t i = 0; i < seconds.size(); ++i) of_a_record += seconds[i] * by_kind[i][k];
    all += rates.emplace_back(cores[k] > 0 && of_a_record > 0 ? cores[k] / of_a_record : 0);
  }
  result.seconds = all > 0 ? 1 / all : 0;
  for (const std::vector<double>& factors : by_kind) {
    double sum = 0;
    for (std::size_t k = 0; k < cores.size(); ++k) sum += factors[k] * rates[k];
    result.factors.push_back(all > 0 ? sum / all : 1);
  }
  return result;
}

system_view on_its_cores(const system_view& view, const allotment& given) {
  system_view on = view;
  if (!has_kinds(view) || given.components.size() != view.components.size()) return on;
  const topology& machine = *view.machine;
  std::vector<std::size_t> members;
  std::vector<double> seconds;
  std::vector<std::vector<double>> by_kind;
  for (std::size_t i = 0; i < view.components.size(); ++i) {
    const component_view& c = view.components[i];
    const share& own = given.components[i];
    if (!own.cores.empty()) on.components[i].time_factor *= owner_factor(c, own, machine);
    if (!own.is_member()) continue;
    component_times times(c);
    const double alone = times.observed() ? times.seconds(1, 1) : 0;
    members.push_back(i);
    seconds.push_back(std::isfinite(alone) ? alone : 0);
    by_kind.push_back(factors_by_kind(c, machine));
  }
  const group_times group = times_in_group(seconds, by_kind, cores_by_kind(given.shared, machine));
  for (std::size_t m = 0; m < members.size(); ++m) on.components[members[m]].time_factor *= group.factors[m];
  return on;
}

system_view on_mean_cores(const system_view& view) {
  system_view on = view;
  if (!has_kinds(view)) return on;
  for (component_view& c : on.components)
    if (!is_outside(c)) c.time_factor *= owner_factor(c, {view.cores, view.cores.size()}, *view.machine);
  return on;
}

}  // namespace weir

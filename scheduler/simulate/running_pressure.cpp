#include "scheduler/simulate/running_pressure.hpp"

#include <algorithm>

#include "scheduler/view/numbers.hpp"

namespace weir::simulation {
namespace {

bool presses(const simulated_component& c) { return c.pressure > 0 && c.blocking == 0; }
bool is_sensitive(const simulated_component& c) { return c.sensitivity > 0 && c.blocking == 0; }

}  // namespace

running_pressure::running_pressure(const scenario& of)
    : scenario_(of),
      acts_(std::ranges::any_of(of.components, presses) && std::ranges::any_of(of.components, is_sensitive)),
      running_(to_index(of.machines())) {}

double running_pressure::pressure(int machine) const {
  double sum = 0;
  for (const invocation& i : running_[to_index(machine)])
    if (const simulated_component& c = scenario_.components[i.component]; presses(c)) sum += c.pressure * i.cores;
  return sum;
}

// `all`: the pressure of all that runs, its own included.
double running_pressure::factor(const invocation& of, double all) const {
  const simulated_component& c = scenario_.components[of.component];
  return is_sensitive(c) ? 1 + c.sensitivity * std::max(0.0, all - c.pressure * of.cores) : 1;
}

double running_pressure::begin(int machine, int lane, invocation what) {
  if (!acts_) return 1;
  std::vector<invocation>& here = running_[to_index(machine)];
  if (here.size() <= to_index(lane)) here.resize(to_index(lane) + 1);
  here[to_index(lane)] = what;
  return here[to_index(lane)].factor = factor(what, pressure(machine));
}

void running_pressure::end(int machine, int lane) {
  if (acts_) running_[to_index(machine)][to_index(lane)].cores = 0;
}

std::vector<running_pressure::changed> running_pressure::ends(int machine, double time) {
  std::vector<changed> all;
  const double now = pressure(machine);
  std::vector<invocation>& here = running_[to_index(machine)];
  for (std::size_t lane = 0; lane < here.size(); ++lane) {
    invocation& i = here[lane];
    const double under = i.cores > 0 ? factor(i, now) : i.factor;
    if (under == i.factor) continue;
    i.left = std::max(0.0, i.left - (time - i.since) / i.factor);
    i.since = time;
    i.factor = under;
    all.push_back({static_cast<int>(lane), time + i.left * under});
  }
  return all;
}

}  // namespace weir::simulation

#include "scheduler/simulate/invocation_times.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/expect/kind_times.hpp"
#include "scheduler/view/counter_random.hpp"

namespace weir::simulation {

invocation_times::invocation_times(const scenario& of, std::uint64_t seed, record_draws::predictor shown,
                                   std::shared_ptr<const topology> machine)
    : scenario_(of),
      draws_(of, mix(seed, 2), shown),
      machine_(machine && machine->kinds().size() > 1 ? std::move(machine) : nullptr),
      slow_(of, seed) {
  for (const simulated_component& c : of.components)
    if (machine_) kind_factors_.push_back(factors_of(c, *machine_));
}

invocation_times::work invocation_times::of(std::size_t component, const std::vector<token>& records,
                                            const core_set& lane, int cores, double time, std::size_t phase) {
  const simulated_component& c = scenario_.components[component];
  const int degree = records.size() > 1 ? std::max(1, c.degree) : 1;
  double seconds = c.batch_start, sum = 0;
  for (const token& what : records) {
    const double x = draws_.x(component, what);
    const double alike = c.time_of(x, cores, c.in(what.phase));
    seconds += draws_.sample(alike * kind_factor(component, lane, cores, x, what.phase), component, what);
    sum += std::pow(draws_.shown_x(x, component, what), degree);
  }
  seconds *= slow_.factor(component, time, phase);
  return {seconds, std::pow(sum / static_cast<double>(records.size()), 1.0 / degree)};
}

double invocation_times::kind_factor(std::size_t component, const core_set& lane, int cores, double x,
                                     std::size_t phase) const {
  if (!machine_ || lane.empty()) return 1;
  const simulated_component& c = scenario_.components[component];
  return lane_factor(lane.part(0, std::min(cores, lane.size())), *machine_, kind_factors_[component],
                     [&](int on) { return c.time_of(x, on, c.in(phase)); });
}

}  // namespace weir::simulation

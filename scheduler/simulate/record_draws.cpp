#include "scheduler/simulate/record_draws.hpp"

#include <cmath>

#include "scheduler/view/counter_random.hpp"

namespace weir::simulation {
namespace {

// Purposes of random numbers; each component has its own numbers for each.
enum purpose : std::uint64_t { of_x, of_noise, of_late, of_lateness, of_another, purposes };

std::uint64_t draw(const token& what, std::size_t component, purpose why) {
  return mix(what.key, component * purposes + why);
}

}  // namespace

double record_draws::shown_x(double x, std::size_t component, const token& what) const {
  switch (shown_) {
    case predictor::known:
      return x;
    case predictor::constant:
      return 1;
    case predictor::shuffled:
      break;
  }
  return scenario_.components[component].in(what.phase).x.at(uniform(draw(what, component, of_another)));
}

double record_draws::x(std::size_t component, const token& what) const {
  const simulated_component& c = scenario_.components[component];
  const double u = uniform(c.common_x ? mix(mix(seed_, what.record), of_x) : draw(what, component, of_x));
  return c.in(what.phase).x.at(u);
}

double record_draws::sample(double seconds, std::size_t component, const token& what) const {
  const simulated_component& c = scenario_.components[component];
  if (c.noise > 0) seconds *= std::exp(c.noise * normal(draw(what, component, of_noise)) - c.noise * c.noise / 2);
  if (c.late.part > 0 && uniform(draw(what, component, of_late)) < c.late.part)
    seconds *= c.late.low * std::pow(uniform(draw(what, component, of_lateness)), -1 / c.late.exponent);
  return seconds;
}

}  // namespace weir::simulation

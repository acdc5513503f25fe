#include "scheduler/simulate/running_pressure.hpp"

namespace weir::simulation {

double running_pressure::factor(std::size_t component) const {
  const simulated_component& slowed = scenario_.components[component];
  if (slowed.sensitivity == 0 || slowed.blocking > 0) return 1;
  double pressure = 0;
  for (std::size_t j = 0; j < cores_.size(); ++j) {
    const simulated_component& other = scenario_.components[j];
    if (other.machine == slowed.machine && other.blocking == 0) pressure += other.pressure * cores_[j];
  }
  return 1 + slowed.sensitivity * pressure;
}

}  // namespace weir::simulation

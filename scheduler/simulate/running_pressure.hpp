#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// How much running invocations slow down one that begins: simulated_component::pressure and sensitivity. Components
// outside the cores, and invocations on devices, neither press nor are slowed down. Not thread-safe.
class running_pressure {
 public:
  // Refers to the scenario, which must outlive it.
  explicit running_pressure(const scenario& of) : scenario_(of), cores_(of.components.size(), 0) {}

  // The factor of an invocation that begins now: 1 + sensitivity Q. Q is the sum of pressure x cores of all that runs
  // on its machine, other invocations of the same component included. Invocations that begin later do not count, and
  // neither does one that ends as this one begins.
  double factor(std::size_t component) const;

  // An invocation on this number of cores begins, or ends.
  void begin(std::size_t component, int cores) { cores_[component] += cores; }
  void end(std::size_t component, int cores) { cores_[component] -= cores; }

 private:
  const scenario& scenario_;
  std::vector<int> cores_;  // by component, that its invocations keep busy
};

}  // namespace weir::simulation

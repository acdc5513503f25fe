#pragma once

#include <cstdint>

#include "scheduler/simulate/record_routes.hpp"
#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// Draws predictor values, noise and lateness for a record at a component. They depend on the scenario, the seed and the
// record alone. Any thread may call it.
class record_draws {
 public:
  // The predictor value that the learning side sees.
  enum class predictor {
    known,     // the x that the cost depends on
    constant,  // always 1: the model is blind
    shuffled   // the x of another record: as good as blind
  };

  // Refers to the scenario, which must outlive it.
  record_draws(const scenario& of, std::uint64_t seed, predictor shown) : scenario_(of), seed_(seed), shown_(shown) {}

  double x(std::size_t component, const token& what) const;
  double shown_x(double x, std::size_t component, const token& what) const;  // for a record of this x
  double seen_x(std::size_t component, const token& what) const { return shown_x(x(component, what), component, what); }
  // A time with the noise and lateness of the record.
  double sample(double seconds, std::size_t component, const token& what) const;

 private:
  const scenario& scenario_;
  std::uint64_t seed_;
  predictor shown_;
};

}  // namespace weir::simulation

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// The periods of a scenario's slow-downs in virtual time. They depend only on the seed and the time. Not thread-safe.
class slow_periods {
 public:
  // Refers to the scenario, which must outlive it. REQUIRES: of.validate() passed.
  slow_periods(const scenario& of, std::uint64_t seed);

  // The factor of an invocation of the component that begins at `time`, while the network is in `phase`. REQUIRES:
  // times do not fall.
  double factor(std::size_t component, double time, std::size_t phase);

 private:
  struct course {
    double until = 0;         // the present period, or the gap before the next, ends
    bool is_slow = true;      // a gap comes first, since nothing has begun
    double factor = 1;        // of the present period
    std::uint64_t drawn = 0;  // numbers
  };

  const scenario& scenario_;
  std::uint64_t seed_;
  std::vector<course> courses_;  // by slow-down
};

// The factor that a component's mean time has in a phase because of slow-downs, if it is as busy in them as otherwise.
double mean_slow_down(const scenario& of, std::size_t component, std::size_t phase);

}  // namespace weir::simulation

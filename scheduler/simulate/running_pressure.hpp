#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// How much running invocations slow each other down: simulated_component::pressure and sensitivity. At each moment an
// invocation needs 1 + sensitivity Q times as long for its work as alone. Q is the sum of pressure x cores of all else
// that runs on its machine at that moment, other invocations of its component included. Components outside the cores,
// and invocations on devices, neither press nor are slowed down. Not thread-safe.
class running_pressure {
 public:
  // Refers to the scenario, which must outlive it.
  explicit running_pressure(const scenario& of);

  // Whether some component presses and some is sensitive.
  bool acts() const { return acts_; }

  struct invocation {
    std::size_t component;
    int cores;
    double left;   // seconds of its work, alone, from `since` on
    double since;  // seconds
    double factor = 1;
  };
  // An invocation begins on a lane of a machine. The factor of its time under the pressure of that moment.
  double begin(int machine, int lane, invocation what);
  // It ends.
  void end(int machine, int lane);

  // The invocations on a machine that end at another time, because some began or ended at `time`.
  struct changed {
    int lane;
    double end;  // seconds, as long as the pressure stays
  };
  std::vector<changed> ends(int machine, double time);

 private:
  double pressure(int machine) const;
  double factor(const invocation& of, double all) const;

  const scenario& scenario_;
  bool acts_;
  std::vector<std::vector<invocation>> running_;  // by machine and lane; on 0 cores: none
};

}  // namespace weir::simulation

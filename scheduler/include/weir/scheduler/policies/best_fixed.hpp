#pragma once

#include <string>

#include <weir/scheduler/policies/adaptive.hpp>

namespace [[gnu::visibility("default")]] weir {

// The rule that adapts once: it begins as adaptive{goal} and, once every model is known, has its answer for good. A
// value. It keeps no state itself, since a rule is a function of the view alone. The controller stops asking it,
// because decides_once() is true (controller.hpp).
class best_fixed : public adaptive {
 public:
  // Throws std::invalid_argument naming the option that is out of range.
  explicit best_fixed(objective goal = objective::throughput, throughput_options options = {})
      : adaptive(goal, options) {}

  std::string name() const override { return "best fixed " + goal().name(); }

  // True: the controller asks no more once every model is known.
  bool decides_once() const override { return true; }
};

}  // namespace weir

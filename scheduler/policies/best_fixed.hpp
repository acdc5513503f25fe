#pragma once

#include <string>

#include "scheduler/policies/adaptive.hpp"

namespace [[gnu::visibility("default")]] weir {

// What adaptive{goal} would choose once: equal shares until every model is known, then its answer, for good. A value.
// What it keeps is not in it, a rule being a function of the view alone: a controller stops to ask (controller.hpp).
class best_fixed : public adaptive {
 public:
  // Throws std::invalid_argument naming the option that is out of range.
  explicit best_fixed(objective goal = objective::throughput, throughput_options options = {})
      : adaptive(goal, options) {}

  std::string name() const override { return "best fixed " + goal().name(); }

  bool settles() const override { return true; }
};

}  // namespace weir

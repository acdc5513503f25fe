#pragma once

#include <string>

#include "bench/rivals/followed_rule.hpp"

namespace weir::rivals {

// Ray Data's reservation and actor autoscaling, with a core for an actor. Sources: ray-project/ray, pull requests 61130
// (description of both phases), 53983 and 59512 (utilisation and threshold).
//
// Half of the cores are reserved, equally for each component. A component that needs more takes cores of the other
// half, the last component first. It may take an equal part of the cores that remain for it and those before it.
//
// A component grows by one core when it has at least 1.75 tasks, running and queued, for each of its lanes. It shrinks
// by one below 0.5. It starts with its least number of cores. The answer is always followed.
//
// Left out: memory, limits of objects in the store, and nodes. Running tasks are not in a view; they are estimated by
// Little's law. A value; a pure function of the view. With more components than cores shares are equal.
class reservation : public followed_rule {
 public:
  std::string name() const override { return "Ray's reservation"; }

  // Throws std::invalid_argument if the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;
};

}  // namespace weir::rivals

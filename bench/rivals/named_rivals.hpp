#pragma once

#include <string>
#include <vector>

#include "scheduler/control/controller.hpp"
#include "scheduler/policies/policy.hpp"

namespace weir::rivals {

// What a comparison runs beside ours: a rule, the constants of the controller that acts on its answers, and the
// estimator (make_estimator) that its models are.
struct named_rival {
  std::string name;
  std::string what;  // one line for a table's legend
  policy rule;
  controller_options options;
  std::string estimator;
};

// All of them, made anew: hill climbing remembers its run. First the rivals, then ours without one ingredient each.
//
//   ds2, equaliser, hill-climbing  measure and do not predict; asked every 12 records of the bottleneck, as ours is
//   paper                          adaptive with the estimator of Verstraaten & Scholz and our rules of moving
//   paper-bare                     the same without: it moves to whatever the model says is better, at once
//   adaptive-no-growth-limit       any number of cores, however far beyond those observed
//   adaptive-no-verification       moves that gave less than they promised stay
//   adaptive-no-threshold          any gain is worth a move that pays for itself
//   adaptive-no-patience           does not wait for records before it moves again
//   adaptive-simple-model          the model knows one cost, whatever the input
//   adaptive-no-looks              models of cores never seen are believed
//   adaptive-bottleneck-only       the bottleneck alone counts, as if streams had no bounds
//   adaptive-no-width              one lane a component
std::vector<named_rival> named_rivals();

// The one of this name. Throws std::invalid_argument that lists the names when there is none.
named_rival rival(const std::string& name);

}  // namespace weir::rivals

#pragma once

#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include "scheduler/control/controller.hpp"

namespace weir::rivals {

// A policy that a comparison runs in addition to weir's own: a rule, the constants of the controller that carries out
// its decisions, and the estimator (make_estimator) for its models.
struct named_rival {
  std::string name;
  std::string what;  // one line for a table's legend
  policy rule;
  controller_options options;
  std::string estimator;
};

// All of them, newly made, since hill climbing remembers its run. First the rivals, then weir's own without one
// ingredient each.
//
//   ds2, equaliser, hill-climbing  measure and do not predict; asked every 12 records of the bottleneck, as ours
//   saturation-aware, reservation  the scalers of Xenna and Ray, which act on queues and are followed
//   autotune, half-efficiency      tf.data's climb on measured seconds; cores by models while they are half used
//   model-bandit                   Thompson sampling over allotments, with weir's models as prior
//   paper                          adaptive with the estimator of Verstraaten & Scholz and weir's rules of moving
//   paper-bare                     the same without these rules: it moves immediately to the best by the model
//   adaptive-no-growth-limit       any number of cores, however far beyond the observed ones
//   adaptive-no-draws              believes its models as they are: no trials, nothing is taken back
//   adaptive-no-threshold          any gain is worth a move that pays for itself
//   adaptive-no-patience           does not wait for records before it moves again
//   adaptive-simple-model          the model knows one cost, whatever the input
//   adaptive-no-forecast           the inputs of records that wait are not looked at
//   adaptive-bottleneck-only       the bottleneck alone counts, as if streams had no bounds
//   adaptive-no-width              one lane per component
std::vector<named_rival> named_rivals();

// The one of this name. Throws std::invalid_argument that lists the names if there is none.
named_rival rival(const std::string& name);

}  // namespace weir::rivals

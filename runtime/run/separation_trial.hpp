#pragma once

#include <cstdint>

#include "runtime/run/fusion_plan.hpp"
#include "runtime/run/trial_windows.hpp"

namespace weir::detail {

// Compares, by the records that enter a network, a plan that fuses short boxes to initialisers with one that separates
// these. The cost of a record that goes to another thread depends on its values and on the machine, and no time of a
// box shows it. A trial has the other plan in force for some milliseconds, and counts under the present one before and
// after. From then on its findings are part of the time that both plans are expected to take.
//
// A trial begins where records enter more slowly than was expected, or where the other plan was found to be slower long
// ago. Not thread-safe.
class separation_trial {
 public:
  // Takes in a step: the records that have `entered` by `now`, in seconds after the start, under the plan in force. A
  // step that moves cores, or in which something else is tried, ends a trial without findings.
  void take(double now, std::uint64_t entered, const fusion_plan& in_force, bool is_disturbed = false);

  const separation_rule& rule() const { return rule_; }  // for the next plan
  bool is_under_way() const { return windows_.is_under_way(); }

  // When it is to be told again at the latest; infinity: at any later step.
  double due() const { return windows_.due(); }

 private:
  bool is_due_to_try(double seconds, const fusion_plan& in_force) const;
  double& beyond(bool separates) { return separates ? rule_.beyond_separate : rule_.beyond_fused; }

  static constexpr double misfit = 1.3;  // seen over expected

  separation_rule rule_;
  trial_windows windows_{5e-3, 1, 1e-3};
  bool separates_ = false;  // the plan in force, or in front of the trial
};

}  // namespace weir::detail

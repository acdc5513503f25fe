#pragma once

#include <cstdint>
#include <limits>

#include "runtime/run/fusion_plan.hpp"

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
  // step that moves cores ends a trial without findings.
  void take(double now, std::uint64_t entered, const fusion_plan& in_force, bool has_moved = false);

  const separation_rule& rule() const { return rule_; }  // for the next plan

  // When it is to be told again at the latest; infinity: at any later step.
  double due() const { return due_; }

 private:
  enum class phase { watches, tries, checks };

  void begin(phase next, double now, std::uint64_t entered, const fusion_plan& in_force);
  void judge(double seconds);
  bool is_due_to_try(double now, double seconds, const fusion_plan& in_force) const;
  double& beyond(bool separates) { return separates ? rule_.beyond_separate : rule_.beyond_fused; }

  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr double window = 5e-3;               // seconds in which records are counted
  static constexpr double settles = 1e-3;              // seconds until another plan is in force everywhere
  static constexpr std::uint64_t least_records = 200;  // in a window: a hand-over is nothing for longer ones
  static constexpr double misfit = 1.3;                // seen over expected
  static constexpr double least_pause = 0.1;           // seconds between two trials
  static constexpr double pause_by_age = 3;            // of the age of the run

  separation_rule rule_;
  phase phase_ = phase::watches;
  double counts_from_ = 0, due_ = never;
  std::uint64_t entered_ = 0;  // when counting began
  bool is_counting_ = false;   // else the plan is not in force for long enough yet
  double not_before_ = 0;      // the next trial
  bool separates_ = false;     // the plan in force when counting began, or in front of the trial
  struct {
    double expected = 0, seen = 0;  // seconds between two records
  } before_, tried_;
};

}  // namespace weir::detail

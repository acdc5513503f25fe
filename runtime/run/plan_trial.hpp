#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "runtime/run/fusion_plan.hpp"
#include "runtime/run/pace_window.hpp"

namespace weir::detail {

// Compares plans by the records that enter a network, and chooses among them. The cost of a hand-over depends on the
// values and on the machine, and no time of a box shows it.
//
// A trial has each plan in force that differs from the present one in one choice, for some milliseconds, and the
// present one before and after. Plans that cannot be faster by the times of their boxes are left out. The fastest
// stays. Not thread-safe.
class plan_trial {
 public:
  // Takes in a step: the records that have `entered` by `now`, in seconds after the start, under the plan in force. It
  // is not complete while entities are still to be fused; then nothing is counted. A step that moves cores ends a trial
  // without findings.
  void take(double now, std::uint64_t entered, const fusion_plan& in_force, bool is_complete = true,
            bool is_disturbed = false);

  // Between two steps. Returns whether a step is needed: a trial goes on, or records no longer enter on one lane as
  // they did. An initialiser keeps that lane where it waits for its own records, and no invocation leads to a step.
  bool look(double now, std::uint64_t entered);

  const plan_choice& choice() const { return choice_; }  // for the next plan
  bool is_under_way() const { return phase_ != phase::watches; }

  // When take() is to be called at the latest, and look(); infinity: no step, or look, is needed for a trial.
  double due() const { return !is_under_way() ? never : is_in_force_ ? window_.due() : asks_at_; }
  double look_due() const { return choice_.one_lane && !is_under_way() ? looked_at_ + look_every : due(); }

 private:
  enum class phase { watches, tries, checks };
  // Choices made the other way. An initialiser that is separated on several lanes may not be on one.
  enum flip { separation, cuts, lanes, lanes_and_separation };
  static constexpr int flips = 4;

  void watch(double now, std::uint64_t entered, double pause);
  void begin(double now, std::uint64_t entered, const fusion_plan& in_force);
  void await_plan(double now, std::uint64_t entered, bool is_complete);
  void try_next(double now, std::uint64_t entered);
  void decide(double now, std::uint64_t entered);
  bool may_pay(flip what, double now, const fusion_plan& in_force) const;
  plan_choice flipped(flip what) const;
  bool has_stalled(double now, std::uint64_t entered);
  static double pause_at(double now);

  static constexpr double never = pace_window::too_few;
  static constexpr double gain = 0.95;     // of the time between two records, by which another plan is better
  static constexpr double loss = 1.03;     // of the same, by which a plan without cuts or with all lanes may be slower
  static constexpr double hopeless = 0.6;  // of the records that enter under the present plan
  static constexpr double another = 1.3;   // pace than by the last trial: the next one comes earlier
  static constexpr double look_every = 10e-3;  // seconds
  static constexpr double lanes_from = 0.2;    // seconds: short runs pay for trials and gain little
  static constexpr double asks_after = 1e-3, longest_until_complete = 50e-3;               // seconds
  static constexpr double least_pause = 0.1, pause_by_age = 3, pause_at_other_pace = 0.5;  // seconds; of the run's age

  pace_window window_;
  phase phase_ = phase::watches;
  plan_choice kept_, choice_;                             // by the trials so far; for the next plan
  bool separates_ = false;                                // the plan that is kept separates initialisers
  double present_ = 0, found_ = never;                    // seconds between two records: now, and by the last trial
  std::array<std::optional<double>, flips> seen_;         // the same under the plans to try; 0: not tried yet
  int tried_ = 0;                                         // the flip in force
  bool is_in_force_ = false;                              // whole; and regions are set for it
  double tried_since_ = 0, asks_at_ = 0;                  // or taken back; whether it is complete
  int in_a_row_ = 0;                                      // trials that made one
  double not_before_ = 0, not_before_at_other_pace_ = 0;  // the next trial
  double looked_at_ = 0;
  std::uint64_t entered_at_look_ = 0;
  bool was_slow_at_look_ = false;
};

}  // namespace weir::detail

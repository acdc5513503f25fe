#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/run/checked_rule.hpp"
#include "runtime/run/learning.hpp"
#include "runtime/run/placing.hpp"
#include "runtime/run/plan_trial.hpp"
#include "runtime/run/run_input.hpp"
#include "runtime/threads/locks.hpp"
#include "scheduler/control/controller.hpp"

namespace weir::detail {

// Makes the steps of a run. A step acts on what was learnt: it decides on an allotment and puts it into force, fuses
// short boxes, and tunes regions. Thread-safe; steps are made one at a time, the first before anything runs.
class control_loop {
 public:
  control_loop(run_environment& run, const unfolded& net, const policy& rule, machine_state& on, learning& learnt,
               placing& places, run_input& in)
      : run_(run),
        net_(net),
        policy_(checked_rule(rule)),
        machine_(on),
        learning_(learnt),
        placing_(places),
        input_(in),
        controller_(policy_) {}

  // Makes a step. Throws what the policy throws while no allotment is in force, and std::bad_alloc.
  void step();

  // An invocation ended at `time`, in seconds after the start. True when it is time for a step and none is wanted yet;
  // then the caller wakes the machine's controller.
  bool is_due(double time) {
    return time >= next_at_.load(std::memory_order_relaxed) && !step_requested_.load(std::memory_order_relaxed) &&
           !step_requested_.exchange(true);
  }
  void request_step() { step_requested_.store(true); }
  // A step that lays the network out anew, even if nothing moves.
  void request_layout() {
    layout_requested_.store(true);
    request_step();
  }
  void clear_request() { step_requested_.store(false); }  // later events want one anew
  bool is_step_requested() const { return step_requested_.load(); }

  // When look() is to be called, in seconds after the start, even if nothing is observed; infinity: it need not be.
  double look_at() const { return look_at_.load(std::memory_order_relaxed); }
  // Returns whether a step is needed without an observation.
  bool look();

  // The cores that the run may use from the next step on.
  void set_partition(core_set cores) noexcept;

  const policy& rule() const { return policy_; }
  // The view that decisions get. REQUIRES: the lock of learning, and the one of placing unless this thread makes the
  // steps.
  system_view view() const WEIR_NOT_ANALYSED;
  std::vector<decision> decisions() const;
  controller::forgotten_decisions forgotten_decisions() const;
  // The throughput that the policy would reach on some numbers of these cores. Empty: a component is not known yet, or
  // the policy needs all.
  core_gain gain(const core_set& all) const;
  // Records a second that the network could take in, as expected at the last step; NaN: unknown.
  double throughput() const { return expected_throughput_.load(std::memory_order_relaxed); }

 private:
  // When steps are made: see control_loop.cpp.
  class schedule {
   public:
    // When the next step may begin, after one that began then and took so much CPU time. `observed`: there were
    // observations.
    double next(double began, double spent, bool observed);
    // Whether fusion is planned anew in any case: means and visits settle while a run is young.
    bool plans_fusion(double now) {
      if (now < plan_at_) return false;
      plan_at_ = 2 * now;
      return true;
    }

   private:
    std::optional<double> since_;  // the first step that had observations
    double of_all_ = 0;            // CPU seconds of that step and all later ones
    double plan_at_ = 0;           // when fusion is planned next
  };

  std::optional<allotment> decide(system_view& v);
  std::optional<allotment> for_no_components(const system_view& v) const;

  run_environment& run_;
  const unfolded& net_;
  const policy policy_;
  machine_state& machine_;
  learning& learning_;
  placing& placing_;
  run_input& input_;
  WEIR_LOCK(stepping) stepping_;
  core_set lease_;                      // under the lock of learning
  std::uint64_t followed_at_move_ = 0;  // records, until the last move; under the same lock
  schedule schedule_ WEIR_GUARDED_BY(stepping_);
  plan_trial trial_ WEIR_GUARDED_BY(stepping_);
  plan_choice chosen_ WEIR_GUARDED_BY(stepping_);                                          // in force
  threads::atomic<double> expected_throughput_{std::numeric_limits<double>::quiet_NaN()};  // relaxed: a number only
  threads::atomic<bool> step_requested_{false}, layout_requested_{false};
  threads::atomic<double> next_at_{0};                                        // seconds after the start
  threads::atomic<double> look_at_{std::numeric_limits<double>::infinity()};  // the same; relaxed: read by one thread
  mutable WEIR_LOCK(decisions) deciding_;
  controller controller_ WEIR_GUARDED_BY(deciding_);
};

}  // namespace weir::detail

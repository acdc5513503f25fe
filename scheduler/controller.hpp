#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/allotment.hpp"
#include "scheduler/decision.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/system_view.hpp"

namespace weir {

// The constants of the controller, each with its reason.
struct controller_options {
  // A move must promise this gain at least: less is not worth the disturbance, nor told from model error.
  double min_gain = 0.02;

  // On top, and as the doubt that a realised gain is given, so many standard errors of the bottleneck's mean time. One:
  // a false alarm costs one move, while waiting costs throughput at every record.
  double noise_weight = 1;

  // Records since the last move before the next. With 5 % noise the mean of 6 is known to 2 %, which is min_gain; who
  // waits for more serves the phase that was.
  int patience = 6;

  // Instead of `patience` while nothing is known that a wait could confirm: the allotment in force was decided before
  // everything had been observed, or the model of a component whose invocations would get other cores is a guess (alpha
  // not identified), and a second number of cores teaches more than a better mean at the first. Two, so that a single
  // outlier is not all there is.
  int early_patience = 2;

  // Seconds that a move costs where none was measured (system_view::move_cost): a oneTBB worker that changes arenas
  // takes up to 0.34 ms, and a few do so at once.
  double move_cost = 1e-3;

  // Network inputs over which a move must pay for itself: many times the patience, since a stream that changes faster
  // than that cannot be followed anyway.
  double horizon = 100;

  // A move that realised less than this part of its predicted gain went wrong. A half: the gain that looks best among
  // many is overestimated as a rule, but noise alone seldom takes half of one that passed the threshold.
  double kept_part = 0.5;

  // Invocations of the component that was to profit for which that direction stays blocked. As long as the horizon: the
  // model has then forgotten enough to deserve another trial.
  int block_for = 100;

  // The component that counts most is tried on more cores than it was ever seen on, whatever its model says of them,
  // where the gain would be so much if none of them were wasted; 0: never. A tenth is more than a look costs and than
  // models are off as a rule.
  double exploration_threshold = 0.1;

  // What such looks may cost by the models, as a part of the run's time.
  double explored_part = 0.02;

  // False: what a move gave is measured and kept with the decision, but nothing is taken back nor blocked.
  bool verify = true;

  // With a rule that settles: invocations of a component after which its model counts as known although how its time
  // changes with cores is not. As many as a view's recent invocations: on the one number of cores that equal shares
  // give it, further ones teach nothing about others.
  int settle_after = 64;

  // Throws std::invalid_argument naming the field and the value.
  void validate() const;
};

// Decides when to act on what a policy says. No clock, no thread: everything it knows of the world is in the view.
// Not thread-safe: one caller at a time.
//
// The first step decides the initial allotment. With a policy that adapts, each later step compares the policy's answer
// with the allotment in force and moves when
//   gain > min_gain + noise   and   gain * horizon * (cost of a record now) > cost of a move,
// `patience` records after the last move. The gain is the ratio of the policy's costs (policy::cost: what a
// record costs, or its latency), both over the same recent inputs. Once a move is in force as long as the next has to
// wait, what it gave is measured: the expected cost of the old shares over that of the new with the times that were
// measured on them, for the same inputs. When that is less than `kept_part` of the prediction, and the model still
// promises more although it has seen the same invocations, the model is wrong in a way it does not learn: the direction
// (the component that gained most cores) is blocked for a while, and the move taken back unless what it gave is worth a
// move by itself. When the model did learn, its next answer is the remedy: the old allotment is among those it chooses
// from.
//
// Where nothing is to be gained by the models, the component that counts most may be tried on more cores than it was
// ever seen on: controller_options::exploration_threshold.
//
// What runs outside the cores is never tried on more of them, and its model counts as known once it was observed. While
// it is the bottleneck no move gains anything, and none is made.
//
// A component that is found to run inline while it owns cores gives them up at once.
//
// A policy that settles is asked once more, when every model is known, and then like one that does not adapt: again
// only when the cores of the run or its components changed.
class controller {
 public:
  // Throws std::invalid_argument as controller_options::validate.
  explicit controller(policy rule, controller_options options = {});

  // The allotment to go to, or nothing when that in force stays. Call it every few records, and after a change of
  // view.cores. REQUIRES: view.current is what it decided last or, while that is about to be, what was before. Throws
  // what the policy throws.
  std::optional<allotment> step(const system_view& view);

  // What was decided, oldest first: the initial decision and the last ones, most_decisions at most. A run that others
  // join and leave decides again each time, for as long as it lives: a megabyte or two, which is minutes where cores
  // change hands all the time.
  static constexpr std::size_t most_decisions = 1024;
  std::vector<decision> decisions() const;

  const policy& rule() const { return rule_; }

 private:
  struct blocked_direction {
    int receiver = -1;        // the component that gained most, -1: the shared group
    std::uint64_t until = 0;  // its count of invocations at which the block ends
  };

  struct exploration {
    int largest = 0;               // the number of cores, the most that there had been, from which more were tried
    std::uint64_t considered = 0;  // its count of invocations when that was last thought of
  };

  // What the last move rests on. Its words take longer than all else between the decision and its coming into force:
  // they are found at the next step, or when somebody wants to read them.
  struct rationale {
    int critical;  // the component, -1: the shared group
    std::string name;
    bool is_bottleneck;
    double cost, next_cost;        // policy::cost before the move and after it
    double seconds, next_seconds;  // of the critical component for a record
    bool is_guess;
    std::string words(const allotment& from, const allotment& to) const;
  };

  double cost_of_a_move(const system_view& view) const;
  allotment decided(const system_view& view, allotment to, std::string why, double gain);
  std::optional<allotment> explore(const system_view& view, int pace);
  std::optional<allotment> verify_last_move(const system_view& view, int pace, double noise);
  bool is_blocked(const system_view& view, int component) const;
  bool is_known(const system_view& view) const;

  policy rule_;
  controller_options options_;
  core_set cores_;  // of the run, at the last decision
  std::vector<decision> decisions_;
  std::optional<rationale> pending_rationale_;  // of the last of them, which has no words yet
  std::vector<blocked_direction> blocked_;
  std::vector<exploration> explorations_;  // by component
  double explored_seconds_ = 0;            // seconds that they were to cost
  bool pending_ = false;     // the last decision is a move whose gain has not been measured yet
  int wait_ = 0;             // invocations after which it is
  bool decided_before_observed_ = false;  // the allotment in force was decided before everything was observed
  bool settled_ = false;     // every model was known at the last decision
};

}  // namespace weir

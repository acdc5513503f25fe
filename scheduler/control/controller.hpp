#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/policies/policy.hpp"
#include "scheduler/view/allotment.hpp"
#include "scheduler/view/decision.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// The constants of the controller, each with its reason.
struct controller_options {
  // The least gain that a move must promise. Less is not worth the disturbance, and is within the error of models.
  double min_gain = 0.02;

  // On top of min_gain, and as the doubt that a realised gain is given: so many standard errors of the bottleneck's
  // mean time. One, since a false alarm costs one move, while waiting costs throughput at every record.
  double noise_weight = 1;

  // Invocations of the reference component between two moves. With 5 % noise the mean of 6 is known to 2 %, which is
  // min_gain. Who waits for more serves inputs that are past.
  int patience = 6;

  // Instead of `patience` while there is nothing that waiting could confirm: the allotment in force was decided before
  // everything was observed, or a move changes the cores of a component whose model cannot know what that does. Two, so
  // that a single outlier does not decide.
  int early_patience = 2;

  // Seconds that a move costs where none was measured (system_view::move_cost): a oneTBB worker that changes arenas
  // takes up to 0.34 ms, and a few do so at once.
  double move_cost = 1e-3;

  // Network inputs over which a move must pay for itself. Many times the patience: a stream that changes faster than
  // that cannot be followed anyway.
  double horizon = 100;

  // A move that realised less than this part of its predicted gain went wrong. A half: the gain that looks best among
  // many is overestimated as a rule, but noise alone seldom takes half of one that passed the threshold.
  double kept_part = 0.5;

  // Invocations of the component that was to profit for which that direction stays blocked. As long as the horizon: the
  // model has then forgotten enough to deserve another trial.
  int block_for = 100;

  // The critical component is tried on more cores than it was ever seen on if the gain would be so much without any
  // loss, whatever its model says; 0: never. A tenth is more than exploring costs and than models are off as a rule.
  double exploration_threshold = 0.1;

  // What exploration may cost by the models, as a part of the run's time.
  double explored_part = 0.02;

  // False: what a move gave is measured and kept with the decision, but nothing is taken back nor blocked.
  bool verify = true;

  // With a rule that settles: after so many invocations of a component its model counts as complete, although it is
  // unknown how its time changes with cores. As many as a view's recent invocations: more of them on the one number of
  // cores that equal shares give teach nothing about others.
  int settle_after = 64;

  // Throws std::invalid_argument naming the field and the value.
  void validate() const;
};

// Decides when to act on what a policy says. No clock, no thread: everything it knows of the world is in the view.
// Not thread-safe: one caller at a time.
//
// step() is a list of rules; the first that applies decides.
// 1. The first step, and one with other cores or components, asks the policy and does what it says.
// 2. A policy that does not adapt, or a view with a component that was never observed, changes nothing.
// 3. A policy that settles is asked once more: when every model is complete.
// 4. A component that is found to run inline while it owns cores gives them up.
// 5. The last move is verified once it has been in force as long as the next has to wait. Its realised gain is the
//    expected cost of the old shares over that of the new, on the same inputs, with the times measured since. If that
//    is less than `kept_part` of the prediction while the model still promises more, the model is wrong in a way it
//    does not learn. The direction (the component that gained most cores) is then blocked for a while, and the move
//    taken back unless what it gave is worth a move by itself. If the model did learn, rule 6 is the remedy.
// 6. `patience` invocations after the last move the policy is asked, and its answer comes into force if
//      gain > min_gain + noise   and   gain * horizon * (cost of a record now) > cost of a move.
//    The gain is the ratio of the policy's costs (assessment::cost), both over the same recent inputs.
// 7. If nothing is to be gained by the models, the critical component may be tried on more cores than it was ever seen
//    on (controller_options::exploration_threshold).
//
// What runs outside the cores is never tried on more of them, and its model is complete once it was observed. While it
// is the bottleneck no move gains anything, and none is made.
class controller {
 public:
  // Throws std::invalid_argument as controller_options::validate.
  explicit controller(policy rule, controller_options options = {});

  // The allotment to go to, or nothing when that in force stays. Call it every few records, and after a change of
  // view.cores. REQUIRES: view.current is what it decided last or, while that is about to be, what was before. Throws
  // what the policy throws.
  std::optional<allotment> step(const system_view& view);

  // What was decided, oldest first: the initial decision and the last ones, most_decisions at most. Runs that share
  // cores with others decide each time one joins or leaves, so without a bound the list would grow for ever. The bound
  // is a megabyte or two, which is minutes where cores change hands all the time.
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

  // What the models know: some component was never observed; all were; and how all their times change with cores.
  enum class knowledge { partial, observed, complete };

  // What becomes of the policy's answer: it comes into force, it gains nothing, or it is too early to say.
  enum class verdict { move, stay, wait };

  struct proposal {
    verdict what = verdict::wait;
    allotment to{};
    assessment then{};  // of `to`
    double gain = 0;
    bool is_guess = false;  // the model of a component that changes its cores cannot know what that does
    bool is_early = false;  // nothing is known that the whole patience could confirm
  };

  // What the last move rests on. Writing the words takes longer than all else between the decision and its coming into
  // force, so that they are left to the next step, or to whoever reads them.
  struct rationale {
    assessment now, next;
    std::string name;  // of the component that is critical now
    bool is_guess;
    std::string words(const allotment& from, const allotment& to) const;
  };

  // The rules of step(), in their order.
  std::optional<allotment> decide_anew(const system_view& view);
  std::optional<allotment> settle_once(const system_view& view);
  std::optional<allotment> evict_inline_owner(const system_view& view);
  std::optional<allotment> verify_last_move(const system_view& view, int reference);
  proposal propose(const system_view& view, const assessment& now, int reference) const;
  allotment make_move(const system_view& view, const assessment& now, proposal best);
  std::optional<allotment> explore(const system_view& view, const assessment& now, int reference);

  void write_pending_rationale();
  allotment decided(const system_view& view, allotment to, std::string why, double gain);
  double cost_of_a_move(const system_view& view) const;
  double noise_of(const system_view& view, int component) const;
  bool is_blocked(const system_view& view, int component) const;
  knowledge known(const system_view& view) const;

  policy rule_;
  controller_options options_;
  core_set cores_;  // of the run, at the last decision
  std::vector<decision> decisions_;
  std::optional<rationale> pending_rationale_;  // of the last of them, which has no words yet
  std::optional<int> verify_after_;             // invocations after which the last of them is to be verified
  knowledge known_then_ = knowledge::partial;   // when the allotment in force was decided
  std::vector<blocked_direction> blocked_;
  std::vector<exploration> explorations_;  // by component
  double explored_seconds_ = 0;            // that they were to cost
};

}  // namespace weir

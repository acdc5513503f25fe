#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/control/late_records.hpp"
#include "scheduler/control/measured_costs.hpp"
#include "scheduler/control/swing_memory.hpp"
#include "scheduler/policies/policy.hpp"
#include "scheduler/view/allotment.hpp"
#include "scheduler/view/decision.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// The constants of the controller, each with its reason. Plain data.
struct controller_options {
  // The least gain that a move must promise. Less is not worth the disturbance, and is within the error of models.
  double min_gain = 0.02;

  // How many standard errors of the bottleneck's mean time a move must promise in addition to min_gain. A realised gain
  // is given the same tolerance. One, since a false alarm costs one move, while waiting costs throughput at every
  // record.
  double noise_weight = 1;

  // Invocations of the reference component between two moves. With 5 % noise the mean of 6 is known to 2 %, which is
  // min_gain. A longer wait would serve inputs that are already past.
  int patience = 6;

  // Replaces `patience` while waiting could confirm nothing. One case is an allotment that was decided before
  // everything was observed. The other is a move that changes the cores of a component whose model cannot know the
  // effect. Two, so that a single outlier does not decide.
  int early_patience = 2;

  // Seconds that a move costs where no cost was measured (system_view::move_cost). A oneTBB worker that changes arenas
  // takes up to 0.34 ms, and a few do so together.
  double move_cost = 1e-3;

  // Network inputs over which a move must pay for itself. It is many times the patience, since a stream that changes
  // faster cannot be followed anyway.
  double horizon = 100;

  // A move that realised less than this part of its predicted gain went wrong. A half: the gain that looks best among
  // many is usually overestimated, but noise alone seldom takes half of one that passed the threshold.
  double kept_part = 0.5;

  // After a move that went wrong, its direction stays blocked for so many invocations of the component that was to
  // profit. As long as the horizon: by then the model has forgotten enough to deserve another trial. When that goes
  // wrong as well, twice as long, and so on up to 64 times, until a move in that direction holds.
  int block_for = 100;

  // Exploration tries the critical component on more cores than it was ever seen on, whatever its model says. It does
  // so if the gain, assuming that no core is wasted, would exceed this; 0: never. A tenth is more than exploration
  // usually costs and more than models usually err.
  double exploration_threshold = 0.1;

  // The largest cost of exploration by the models, as a part of the run's time.
  double explored_part = 0.02;

  // False: a move's realised gain is measured and kept with the decision, but no move is taken back and no direction
  // blocked.
  bool verify = true;

  // Whether a stream that swings is remembered (swing_memory.hpp), and answered with one division where following it
  // would cost more.
  bool remember = true;

  // Whether an allotment that was measured to be clearly better than the one in force is gone back to, whatever the
  // models say (measured_costs.hpp). Without `verify` it is not.
  bool go_back = true;

  // Whether the inputs of records that wait are a forecast (component_view::next_inputs): where they are unlike those
  // before, they take their place.
  bool look_ahead = true;

  // For a rule that settles: after so many invocations of a component its model counts as complete, even if it is
  // unknown how its time changes with cores. Equal shares give only one number of cores, and more invocations on it
  // teach nothing about others.
  int settle_after = 64;

  // Throws std::invalid_argument naming the field and the value.
  void validate() const;
};

// Decides when to act on a policy's answers. It has no clock and no thread: all that it knows is in the view. Not
// thread-safe: one caller at a time.
//
// step() is a list of rules; the first that applies decides.
//
//   1. The first step, or one with other cores or components, asks the policy and carries out its answer.
//   2. A policy that does not adapt, or a view with a component that was never observed, changes nothing.
//   3. A policy that settles is asked once more: when every model is complete.
//   4. A component that is found to run inline while it owns cores gives them up.
//   5. The last move is verified once it has been in force as long as the next has to wait.
//   6. When `patience` invocations have passed since the last move, the policy is asked. Its answer comes into force
//      under the conditions below.
//   7. If the models promise no gain, exploration may try the critical component on more cores than it was ever seen on
//      (controller_options::exploration_threshold), or on half of its cores where its model expects next to nothing of
//      the other half and it was never seen on fewer. Where its next larger number so far is no faster, it may try one
//      in the middle. Where the policy counts cores (assessment::cores), it may try what would free some if the models
//      held on fewer cores than they saw.
//
// Rule 5: the realised gain is the ratio of two expected costs less one, that is, the old shares' cost over the new
// shares' cost. Both are for the same inputs; the second uses the times measured since the move. The move went wrong if
// its gain is less than `kept_part` of the prediction while the model still promises more. Then the model errs in a way
// that it does not learn. So the direction (the component that gained most cores) is blocked for a while. The move is
// taken back unless its realised gain is worth a move by itself. If the model did learn, rule 6 is the remedy.
//
// A move that was measured to be a loss, by more than min_gain and the noise of what was measured, is taken back as
// well where the model learnt it but the policy has nothing better than what was before, or only a guess.
//
// Rule 6: the answer comes into force if both conditions hold:
//
//   gain > min_gain + noise   and   gain * horizon * (cost per record now) > cost of a move.
//
// The gain is the ratio of the policy's costs (assessment::cost) less one, both over the same recent inputs. But where
// the stream swings faster than cores can follow, one allotment for all that is remembered takes its place
// (swing_memory.hpp).
//
// Between rules 6 and 7 stands the floor: where no move is made, and an allotment before was measured to be clearly
// better than the one in force (by a tenth and three standard errors), it comes into force again. That waits until the
// difference, over the records since, has cost more than two moves, `patience` records, and the returns that did not
// help since one did. So all that returns cost is at most about what staying cost. After `patience` invocations the two
// are compared again. If it helped clearly, the direction to the other one is blocked. If it did not, the stream is
// another one: all blocks end, and the other allotment comes into force again where it is better.
//
// Where the records that wait at a component's input are unlike those before (component_view::next_inputs), all rules
// are by their inputs.
//
// Where the policy has a demand on latency (assessment::p99_demanded), what is measured counts as well: if records are
// late that the models expect in time, rules 5 to 7 take all times to be longer, until they are not (late_records.hpp).
//
// A component outside the cores is never tried on more of them, and its model is complete once it was observed. While
// it is the bottleneck no move gains anything, and none is made.
class controller {
 public:
  // Throws std::invalid_argument as controller_options::validate() does.
  explicit controller(policy rule, controller_options options = {});

  // The allotment to change to, or nothing when the present one stays. Call it every few records, and after a change of
  // view.cores. Throws what the policy throws, and std::bad_alloc; what it remembers of costs is forgotten then.
  // REQUIRES: view.current is the allotment that it decided last, or the one before while that change is still under
  // way.
  std::optional<allotment> step(const system_view& view);

  // The decisions, oldest first: the initial one and the last ones, most_decisions at most. Runs that share cores with
  // others decide each time one joins or leaves, so without a bound the list would grow for ever. The bound is a
  // megabyte or two, which lasts minutes where cores change hands all the time.
  static constexpr std::size_t most_decisions = 1024;
  std::vector<decision> decisions() const;
  // How many decisions that list no longer has, and how many of these were reverted.
  struct forgotten_decisions {
    std::uint64_t decisions = 0, reverted = 0;
  };
  const forgotten_decisions& forgotten() const { return forgotten_; }

  const policy& rule() const { return rule_; }

 private:
  struct blocked_direction {
    int receiver = -1;        // the component that gained most cores; -1: the shared group
    std::uint64_t length = 0;  // of the block, in its invocations
    std::uint64_t until = 0;   // its count of invocations at which the block ends
  };

  struct exploration {
    int largest = 0;               // the largest number of cores seen when exploration last tried more
    int smallest = 0;              // the number that exploration last tried; 0: it never tried fewer
    std::uint64_t considered = 0;  // its count of invocations when exploration was last considered
  };

  // The allotment in force before a return, and whether it was for all that is remembered.
  struct left_division {
    allotment given;
    bool was_steady;
  };

  // The knowledge of the models. partial: some component was never observed. observed: all were. complete: it is also
  // known how all their times change with cores.
  enum class knowledge { partial, observed, complete };

  // The outcome for the policy's answer: it comes into force, it gains nothing, or it is too early to tell.
  enum class verdict { move, stay, wait };

  struct proposal {
    verdict what = verdict::wait;
    allotment to{};
    assessment then{};  // of `to`
    double gain = 0;
    bool is_guess = false;  // a component changes its cores and its model cannot know the effect
    bool is_early = false;  // the whole patience could confirm nothing
    bool is_steady = false;  // it is for all that is remembered, not for the present
  };

  // The grounds of the last move. Making its words takes longer than everything else between the decision and its
  // coming into force. So they are made in the next step, or when the decisions are read.
  struct rationale {
    assessment now, next;
    std::string name;  // of the component that is critical now; of the shared group the member its time is due to
    bool is_guess;
    double caution;  // by which all times are taken to be longer
    std::string words(const policy& rule, const allotment& from, const allotment& to) const;
  };

  // step(), by a view whose inputs are those to expect.
  std::optional<allotment> step_now(const system_view& view);

  // Rules 5 to 7, by a view whose times are as long as they are believed to be.
  std::optional<allotment> step_by(const system_view& view, const assessment& now);

  // The rules of step(), in their order.
  std::optional<allotment> decide_anew(const system_view& view);
  std::optional<allotment> settle_once(const system_view& view);
  std::optional<allotment> evict_inline_owner(const system_view& view);
  std::optional<allotment> verify_last_move(const system_view& view, int reference);
  std::optional<allotment> go_back(const system_view& view, int reference, bool is_steady);
  std::optional<allotment> verify_return(const system_view& view, int reference);
  proposal propose(const system_view& view, const assessment& now, int reference) const;
  // What to do instead, where the stream swings faster than cores can follow it.
  std::optional<proposal> stay_in_the_middle(const system_view& view, const assessment& now,
                                             const allotment& instead_of) const;
  allotment make_move(const system_view& view, const assessment& now, proposal best);
  bool is_loss(const system_view& since, double before, double at_most) const;
  std::optional<allotment> explore(const system_view& view, const assessment& now, int reference);
  std::optional<allotment> try_more(const system_view& view, const assessment& now, int reference, exploration& last);
  int next_had(const system_view& view, int component, int cores) const;
  std::optional<allotment> try_between(const system_view& view, const assessment& now, int reference);
  std::optional<allotment> try_fewer(const system_view& view, const assessment& now, int reference, exploration& last);
  std::optional<allotment> try_to_free(const system_view& view, const assessment& now);
  bool is_followed_too_late(const system_view& view, const assessment& now, const allotment& to) const;
  bool can_afford(const system_view& view, double loss_a_record);

  void write_pending_rationale();
  // p99: seconds, by the models (assessment::p99); 0: not asked for.
  allotment decided(const system_view& view, allotment to, std::string why, double gain, double p99 = 0);
  double cost_of_a_move(const system_view& view) const;
  double noise_of(const system_view& view, int component) const;
  bool is_blocked(const system_view& view, int component) const;
  void block(const system_view& view, int receiver);
  void unblock(int receiver);
  knowledge known(const system_view& view) const;

  policy rule_, aside_;  // the second for views that differ from that of the step
  controller_options options_;
  core_set cores_;  // of the run, at the last decision
  std::vector<decision> decisions_;
  forgotten_decisions forgotten_;
  std::optional<rationale> pending_rationale_;  // of the last decision, which has no words yet
  std::optional<int> verify_after_;             // invocations after which the last decision is verified
  knowledge known_then_ = knowledge::partial;   // when the allotment in force was decided
  std::vector<blocked_direction> blocked_;
  swing_memory memory_;
  measured_costs measured_;
  std::optional<left_division> left_;  // by a return of which it is not known yet whether it helped
  double lost_seconds_ = 0;            // by returns that did not help, since the last one that did
  double compared_at_ = 0;             // records of the allotment in force when it was last held against others
  late_records late_;
  bool is_steady_ = false;                 // the allotment in force is for all that is remembered
  std::vector<exploration> explorations_;  // by component
  double explored_seconds_ = 0;            // expected cost of all explorations
};

}  // namespace weir

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/decision.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/control/assessor.hpp"
#include "scheduler/control/controller_options.hpp"
#include "scheduler/control/decision_log.hpp"
#include "scheduler/control/exploration.hpp"
#include "scheduler/control/late_records.hpp"
#include "scheduler/control/situation.hpp"
#include "scheduler/control/stream_history.hpp"

namespace weir {

// Decides when to act on a policy's answers. It has no clock and no thread: all that it knows is in the view. Not
// thread-safe: one caller at a time.
//
// step() is a list of rules; the first that decides ends it. Rules 5 to 8 decide by one situation (situation.hpp).
//
//   1. decide_anew: the first step, or one with other cores or components, carries out the policy's answer.
//   2. A policy that does not adapt, or a view with a component that was never observed, changes nothing.
//   3. decide_once: a policy that decides once is asked once more, when every model is complete.
//   4. evict_inline_owner: a component that is found to run inline while it owns cores gives them up.
//   5. judge_last: the last move is judged once it has been in force as long as the next has to wait.
//   6. follow: when `patience` invocations have passed since the last move, the policy is asked. Its answer comes into
//      force under the conditions below.
//   7. return_to_better: an allotment that was measured to be clearly better comes into force again.
//   8. explore: if the models promise no gain, a number of cores that no model knows is tried (exploration.hpp).
//
// Rule 5: the realised gain is the ratio of two expected costs less one, that is, the old shares' cost over the new
// shares' cost. Both are for the same inputs; the second uses the times measured since the move. The move went wrong if
// its gain is less than `kept_part` of the prediction while the model still promises more. Then the model errs in a way
// that it does not learn. So the direction (the component that gained most cores) is blocked for a while. The move is
// taken back unless its realised gain is worth a move by itself. If the model did learn, rule 6 is the remedy.
//
// A move that lost more than min_gain and the noise of the measured times is also taken back, even if the model has
// learnt the loss. This holds where the policy has only a guess, or nothing better than the allotment before.
//
// Rule 6: the answer comes into force if both conditions hold:
//
//   gain > min_gain + noise   and   gain * horizon * (cost per record now) > cost of a move.
//
// The gain is the ratio of the policy's costs (assessment::cost) less one, both over the same recent inputs. But where
// the stream swings faster than cores can follow, one allotment for all that is remembered takes its place
// (stream_history.hpp).
//
// Rule 7 is the floor: where no move is made, an allotment comes into force again that was measured to be better by a
// tenth and three standard errors. That waits until the difference, over the records since, has cost more than two
// moves, `patience` records, and the returns that did not help since one did. So all that returns cost is at most about
// what staying cost. After `patience` invocations rule 5 compares the two again. If the return helped clearly, the
// direction to the other one is blocked. If it did not, the stream is another one: all blocks end, and the other
// allotment comes into force again where it is better.
//
// Where the records that wait at a component's input are unlike those before (component_view::next_inputs), all rules
// are by their inputs.
//
// Where the policy has a demand on latency (assessment::p99_demanded), measured latencies count as well. While records
// are late that the models expect in time, rules 5 to 8 take all times to be longer (late_records.hpp).
//
// A component outside the cores is never tried on more of them, and its model is complete once it was observed. While
// it is the bottleneck no move gains anything, and none is made.
class controller {
 public:
  // Throws std::invalid_argument as controller_options::validate() does.
  explicit controller(policy rule, controller_options options = {});

  // The allotment to change to, or nothing when the present one stays. Call it every few records, and after a change of
  // view.cores. Throws what the policy throws, and std::bad_alloc; then its memory of costs is forgotten. REQUIRES:
  // view.current is the allotment that it decided last, or the one before while that change is still under way.
  std::optional<allotment> step(const system_view& view);

  // The decisions, oldest first: the initial one and the last ones, most_decisions at most.
  static constexpr std::size_t most_decisions = decision_log::most;
  std::vector<decision> decisions() const { return log_.all(rules_.here); }
  using forgotten_decisions = decision_log::forgotten_decisions;
  const forgotten_decisions& forgotten() const { return log_.forgotten(); }

  const policy& rule() const { return rules_.here; }

 private:
  // A rule's answer: nothing, and the next rule is asked; or the allotment to change to, or none where the present one
  // stays.
  struct verdict {
    bool decides = false;
    std::optional<allotment> to = {};
  };

  // The knowledge of the models. partial: some component was never observed. observed: all were. complete: it is also
  // known how all their times change with cores.
  enum class knowledge { partial, observed, complete };

  struct blocked_direction {
    int receiver = -1;         // the component that gained most cores; -1: the shared group
    std::uint64_t length = 0;  // of the block, in its invocations
    std::uint64_t until = 0;   // its count of invocations at which the block ends
  };

  // The outcome for the policy's answer: it comes into force, it gains nothing, or it is too early to tell.
  enum class outcome { move, stay, wait };

  struct proposal {
    outcome what = outcome::wait;
    allotment to{};
    assessment then{};  // of `to`
    double gain = 0;
    bool is_guess = false;       // a component changes its cores and its model cannot know the effect
    bool is_early = false;       // the whole patience could confirm nothing
    bool is_compromise = false;  // it is for all that is remembered, not for the present
  };

  // The allotment that a return left, and whether it was a compromise.
  struct left_allotment {
    allotment given;
    bool was_compromise;
  };

  // The allotment in force, as the last decision made it.
  struct trial {
    std::optional<int> judge_after;      // invocations after which the decision is judged
    std::optional<left_allotment> left;  // the decision is a return, not judged yet
    double compared_at = 0;              // its records when it was last held against others
    bool is_compromise = false;          // it is for all that is remembered
  };

  allotment decide_anew(const system_view& view);
  std::optional<allotment> decide_once(const system_view& view);
  std::optional<allotment> evict_inline_owner(const system_view& view);
  std::optional<allotment> decide(const system_view& view, const assessment& now);

  // The rules that decide by a situation, in their order.
  verdict judge_last(situation& s);
  verdict follow(situation& s);
  verdict return_to_better(situation& s);
  verdict explore(situation& s);

  verdict judge_move(const situation& s);
  verdict judge_return(const situation& s);
  bool is_loss(const system_view& since, double before, double at_most) const;
  proposal propose(const situation& s) const;
  std::optional<proposal> compromise(const situation& s, const allotment& instead_of) const;

  allotment decided(const system_view& view, allotment to, std::string why, double gain, double p99 = 0);
  double noise_of(const situation& s) const;
  bool is_blocked(const system_view& view, int component) const;
  void block(const system_view& view, int receiver);
  void unblock(int receiver);
  knowledge known(const system_view& view) const;

  assessor rules_;
  controller_options options_;
  core_set cores_;  // of the run, at the last decision
  decision_log log_;
  trial in_force_;
  knowledge known_then_ = knowledge::partial;  // when the allotment in force was decided
  std::vector<blocked_direction> blocked_;
  stream_history history_;
  double lost_seconds_ = 0;  // by returns that did not help, since the last one that did
  late_records late_;
  exploration exploration_;
};

}  // namespace weir

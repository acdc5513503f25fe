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
#include "scheduler/control/late_records.hpp"
#include "scheduler/control/random_costs.hpp"
#include "scheduler/control/sharing_residuals.hpp"
#include "scheduler/control/stream_history.hpp"
#include "scheduler/control/time_residuals.hpp"

namespace weir {

// Decides when to act on a policy's answers. It has no clock and no thread: all that it knows is in the view. Not
// thread-safe: one caller at a time.
//
// step() is a list of rules; the first that decides ends it.
//
//   1. decide_anew: the first step, or one with other cores or components, carries out the policy's answer.
//   2. A policy that does not adapt, or a view with a component that was never observed, changes nothing. A component
//      that no record has reached counts as one that none reaches once another had `settle_after` invocations.
//   3. decide_once: a policy that decides once is asked once more, when every model is complete.
//   4. evict_inline_owner: a component that is found to run inline while it owns cores gives them up.
//   5. choose: the allotment that is expected to take least over the next records comes into force.
//
// Rule 5 weighs allotments by draws of the true times (random_costs.hpp). The draws come from measured over expected
// times: of each component on each number of cores (time_residuals.hpp), and of whole records by who shares cores
// (sharing_residuals.hpp). Candidates are the allotment in force, the policy's answers for the most likely times and
// for some draws, and the last ones that were in force. A move to another one is expected to take
//
//   move + n * mean of min(there, stay + n * bottleneck there) + (h - n) * mean of min(there, stay + move / (h - n))
//
// seconds for the next h records, both means over draws. After n records it is known whether the move was right; if
// not, it is undone. A trial never costs more than the backlog that n records make. Staying takes h * mean of stay,
// less a threshold of min_gain and the noise of inputs. So the rule tries numbers of cores that no model knows where a
// trial may pay, eight times and then in at most 2 % of the records. It leaves an allotment that disappointed, because
// its times are known.
//
// Where the stream swings faster than cores can follow, one allotment for all that is remembered takes the place of the
// best one for the present (stream_history.hpp). Where the records that wait at a component's input are unlike those
// before (component_view::next_inputs), all rules are by their inputs.
//
// Measured latencies count as well where the policy has a demand on latency (assessment::p99_demanded). While records
// are late that the models expect in time, all times are taken to be longer (late_records.hpp). Throughput counts first
// where records wait outside that miss the p99, or come half as fast again as announced.
//
// A component outside the cores is never tried on more of them, and its model is complete once it was observed. While
// it is the bottleneck no move gains anything, and none is made.
class controller {
 public:
  // Throws std::invalid_argument as controller_options::validate() does.
  explicit controller(policy rule, controller_options options = {});

  // The allotment to change to, or nothing when the present one stays. Call it every few records, and after a change of
  // view.cores. Throws what the policy throws, and std::bad_alloc; then its memory of times is forgotten. REQUIRES:
  // view.current is the allotment that it decided last, or the one before while that change is still under way.
  std::optional<allotment> step(const system_view& view);

  // The decisions, oldest first: the initial one and the last ones, most_decisions at most.
  static constexpr std::size_t most_decisions = decision_log::most;
  std::vector<decision> decisions() const { return log_.all(rules_.here); }
  using forgotten_decisions = decision_log::forgotten_decisions;
  const forgotten_decisions& forgotten() const { return log_.forgotten(); }

  const policy& rule() const { return rules_.here; }

 private:
  // A move that is expected to pay.
  struct weighed {
    allotment to;
    double gain;  // by the mean of the draws
    double hope;  // by the mean of the draws in which it is better
  };

  // The answer for a stream that swings; `to` may be the allotment in force.
  struct compromise {
    allotment to;
    double gain;
  };

  // The allotment in force, as the last decision made it.
  struct trial {
    bool is_measured = true;     // its gain is, or need not be
    bool is_compromise = false;  // it is for all that is remembered
    int asked_for = -1;          // the component that was the reference when rule 5 was asked last
    std::uint64_t ask_at = 0;    // its count of invocations at which rule 5 is asked again
  };

  allotment decide_anew(const system_view& view);
  std::optional<allotment> decide_once(const system_view& view);
  std::optional<allotment> evict_inline_owner(const system_view& view);
  std::optional<allotment> choose(const system_view& view, const assessment& now);

  bool is_due(const system_view& view, int reference);
  void measure_last(const system_view& view);
  std::vector<allotment> candidates(const system_view& view, const std::vector<allotment>& proposed) const;
  std::optional<weighed> best_of(const std::vector<allotment>& candidates, const random_costs& costs,
                                 const system_view& view, int reference) const;
  std::optional<compromise> for_swings(const system_view& view, const allotment& best) const;
  allotment moved(const system_view& view, weighed best, const assessment& now, const random_costs& costs,
                  int reference);

  allotment decided(const system_view& view, allotment to, std::string why, double gain, double p99 = 0);
  bool is_complete(const system_view& view) const;
  bool may_reach_others(const system_view& view) const;

  assessor rules_;
  controller_options options_;
  core_set cores_;  // of the run, at the last decision
  decision_log log_;
  int trials_ = 0;  // decided so far
  trial in_force_;
  bool was_complete_ = false;  // every model, when the allotment in force was decided
  stream_history history_;
  time_residuals times_;
  sharing_residuals sharing_;
  late_records late_;
  std::uint64_t rounds_ = 0;  // of rule 5
};

}  // namespace weir

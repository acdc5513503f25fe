#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/decision.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/control/situation.hpp"

namespace weir {

// Finds allotments on numbers of cores that no model knows, which a controller tries where its models promise no gain.
// A candidate is decided by models that would have to be true, and is worth a trial where the gain by these exceeds
// controller_options::exploration_threshold. In their order:
//
//   1. Where the policy counts cores (assessment::cores): fewer, if the models held on half of what they saw.
//   2. Where the next larger number of cores that the reference component had is no faster by its model: one in the
//      middle of the two. Each trial halves the numbers between, on a logarithmic scale.
//   3. More cores than the reference component was ever seen on, if no core were wasted. Once for each largest number.
//   4. Half of its cores, fewer than it was ever seen on, where its model expects next to nothing of the other half: a
//      law cannot tell from so few numbers of cores that cores hurt. Once for each smallest number tried.
//
// The trials of a run cost at most controller_options::explored_part of its time by the models. Not thread-safe.
class exploration {
 public:
  // A trial: predicted_gain is by the models that would have to be true, p99 as assessment::p99 by the same.
  struct trial {
    allotment to;
    std::string why;
    double predicted_gain = 0, p99 = 0;
    double loss = 0;  // seconds a record, by the models as they are
  };

  // The first candidate that may be tried, if any; its cost is counted. `follows_swing`: whether an allotment would
  // only follow a stream that swings. `past`: the decisions so far.
  std::optional<trial> next(const situation& s, const policy& rule, const std::vector<decision>& past,
                            const controller_options& options,
                            const std::function<bool(const allotment&)>& follows_swing);

 private:
  struct component_trials {
    int largest = 0;               // the largest number of cores seen when more were last tried
    int smallest = 0;              // the number last tried where fewer were; 0: never
    std::uint64_t considered = 0;  // its count of invocations when exploration was last considered
  };
  // The facts that candidates are found by.
  struct question {
    const situation& s;
    const policy& rule;
    const std::vector<decision>& past;
    double threshold;
    component_trials tried;  // as it is if this trial is made
  };

  static std::optional<trial> freed_cores(question& q);
  static std::optional<trial> between(question& q);
  static std::optional<trial> more(question& q);
  static std::optional<trial> half(question& q);
  static std::optional<trial> by_model(question& q, std::shared_ptr<const estimator> model, int above, int at_most,
                                       const std::string& why);
  bool can_afford(const system_view& view, double loss_a_record, const controller_options& options);

  std::vector<component_trials> tried_;
  double spent_seconds_ = 0;  // expected cost of all trials
};

}  // namespace weir

#pragma once

#include <string>

#include "scheduler/divide/throughput.hpp"
#include "scheduler/policies/policy.hpp"
#include "scheduler/view/objective.hpp"

namespace [[gnu::visibility("default")]] weir {

// Gives cores to where the models say that they buy the most. A value; a pure function of the view, like every rule:
// when to act on its answer is the controller's business (controller.hpp).
//
// Components that run inline own nothing: their time is that of whoever delivers to them. Those that run outside the
// cores (`.blocking(max)`) own nothing either, and what they take still counts in the cost.
//
// While some component that records reach has not been observed, the answer is equal_shares, from which the models
// learn; after that throughput_counts (throughput.hpp) or latency_counts (latency.hpp), by the objective.
class adaptive : public allocation_rule {
 public:
  // Throws std::invalid_argument naming the option that is out of range.
  explicit adaptive(objective goal = objective::throughput, throughput_options options = {});

  std::string name() const override { return "adaptive " + goal_.name(); }

  // Throws std::invalid_argument when the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;

  // The cost is cost_with_blocking (blocking.hpp), or latency_cost (latency_cost.hpp), in seconds.
  assessment assess(const system_view& view, const allotment& given) const override;

  bool adapts() const override { return true; }

  objective goal() const { return goal_; }

 private:
  objective goal_;
  throughput_options options_;
};

}  // namespace weir

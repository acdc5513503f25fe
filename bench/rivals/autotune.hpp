#pragma once

#include <string>

#include <weir/scheduler/policies/policy.hpp>

namespace weir::rivals {

// tf.data's AUTOTUNE, algorithm STAGE_BASED as its documentation has it (tensorflow.org,
// tf.data.experimental.AutotuneAlgorithm): "in each optimization step, this algorithm chooses the worst bottleneck
// parameter and increases its value by 1". A step here begins with one core each and goes on until the CPU budget, all
// cores, is used or the slowest may have no more. Seconds of a component are those measured, divided by its cores, as
// its model has it (D. Murray et al., tf.data: A Machine Learning Data Processing Framework, VLDB 2021). A
// value; a pure function of the view. With more components than cores, or before all were measured, shares are equal.
class autotune : public allocation_rule {
 public:
  std::string name() const override { return "tf.data's AUTOTUNE"; }

  // Throws std::invalid_argument if the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;

  // The cost is the slowest component's measured seconds per record, scaled linearly.
  assessment assess(const system_view& view, const allotment& given) const override;

  bool adapts() const override { return true; }
};

}  // namespace weir::rivals

#pragma once

#include <string>

#include <weir/scheduler/policies/policy.hpp>

namespace weir::rivals {

// The rule of DS2 (Kalavri et al., "Three steps is all you need", OSDI'18, section 3.2): a component gets
//   p_i = ceil(rate * V_i * c_i)
// cores. That is its target rate over the true rate of one task. A task is one core, and c_i is the measured
// core-seconds of useful time per record at the present parallelism. True rates are assumed to scale linearly with
// tasks. A value; a pure function of the view that asks no model.
//
// The target is a given rate of records that enter the network. Without one it is the highest rate that fits, since a
// saturated source offers any rate. A given rate that does not fit is cut to the highest that does. Cores that the rate
// does not need stay idle.
//
// If there are more components than cores, those of the least load share. They count as one component with the sum of
// their loads, with at most one core per member. Shares are equal until every component was measured.
class ds2 : public allocation_rule {
 public:
  // `rate` in records per second; 0: the highest that fits. Throws std::invalid_argument if it is negative or NaN.
  explicit ds2(double rate = 0);

  std::string name() const override { return "DS2's rule"; }

  // Throws std::invalid_argument if the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;

  // The cost is the slowest component's seconds per record, by the same linear scaling.
  assessment assess(const system_view& view, const allotment& given) const override;

  bool adapts() const override { return true; }

 private:
  double rate_;
};

}  // namespace weir::rivals

#pragma once

#include <string>

#include "scheduler/policies/policy.hpp"

namespace weir::rivals {

// The rule of DS2 (Kalavri et al., "Three steps is all you need", OSDI'18, section 3.2): a component gets
//   p_i = ceil(rate * V_i * c_i),
// its target rate over the true rate of one task, that is, of one core, when c_i core-seconds of useful time a record
// were measured at the present parallelism. True rates are taken to scale linearly with tasks. A value; a pure function
// of the view, that asks no model.
//
// The target is a given rate of records that enter the network or, without one, the highest that fits: a saturated
// source offers any. A given rate that does not fit is also cut to the highest that does. Cores that the rate does not
// need stay idle.
//
// With more components than cores those of the least load share and count as one component of the sum of their loads,
// with at most a core a member. Until everything was measured shares are equal.
class ds2 : public allocation_rule {
 public:
  // `rate` in records a second; 0: the highest that fits. Throws std::invalid_argument when it is negative or not a
  // number.
  explicit ds2(double rate = 0);

  std::string name() const override { return "DS2's rule"; }

  // Throws std::invalid_argument when the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;

  // The cost: seconds per record of the slowest by the same linear scaling.
  assessment assess(const system_view& view, const allotment& given) const override;

  bool adapts() const override { return true; }

 private:
  double rate_;
};

}  // namespace weir::rivals

#pragma once

#include <string>

#include <weir/scheduler/policies/policy.hpp>

namespace weir::rivals {

// Equalises measured times without a model. Each time it is asked, the slowest component by measured time gets one
// core, from the component that would take least after giving it (next_move). It stops when every giver would then take
// longer than the slowest takes now. The effect of one core more or less is assumed to be linear. A value; a pure
// function of the view.
//
// It does not decide who shares. If there are more components than cores it starts from equal_counts. Its group is then
// one more giver and receiver, with at most one core per member.
class equaliser : public allocation_rule {
 public:
  std::string name() const override { return "equaliser"; }

  // Throws std::invalid_argument if the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;

  // The cost is the slowest component's measured seconds per record, scaled linearly.
  assessment assess(const system_view& view, const allotment& given) const override;

  bool adapts() const override { return true; }
};

}  // namespace weir::rivals

#pragma once

#include <string>

#include "scheduler/policies/policy.hpp"

namespace weir::rivals {

// Equalises measured times without a model: the slowest component by measured time gets a core of the one that would
// take least after it (next_move), one core each time it is asked, until nobody could give one without taking longer
// than the slowest takes now. What a core more or less will do is taken to be linear. A value; a pure function of the
// view.
//
// Who shares is not decided: with more components than cores it starts from equal_counts, whose group then is one more
// that gives and receives, no more than a core a member.
class equaliser : public allocation_rule {
 public:
  std::string name() const override { return "equaliser"; }

  // Throws std::invalid_argument when the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;

  // The cost: seconds per record of the slowest, from what was measured by linear scaling.
  assessment assess(const system_view& view, const allotment& given) const override;

  bool adapts() const override { return true; }
};

}  // namespace weir::rivals

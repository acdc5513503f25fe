#pragma once

#include <memory>
#include <string>

#include "scheduler/policies/policy.hpp"

namespace weir::rivals {

// Climbs on measured throughput without a model: one core goes from the component with most slack to the bottleneck
// (next_move). When the measured bottleneck then takes more time than before, the move is taken back and the pair
// passed over for the next `forget_after` invocations of the receiver, or until another move stays. One that changes
// nothing stays: of two components that are equally slow the first to get a core does not raise the throughput alone.
//
// Not a pure function of the view as other rules are: whether a move helped cannot be known from a view, which has only
// the allotment in force. So an object, and its copies, remember the last move of one run and what was refused, and are
// good for one run only. Asked twice for the same view it gives the same answer. Safe to call from several threads.
//
// Inputs that change between two moves are taken for gains or losses: without a model they cannot be told apart. Who
// shares is not decided, as by the equaliser.
class hill_climbing : public allocation_rule {
 public:
  // Throws std::invalid_argument when forget_after is negative.
  explicit hill_climbing(int forget_after = 100);

  std::string name() const override { return "hill climbing"; }

  // Throws std::invalid_argument when the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;

  // The cost: seconds per record of the slowest: as measured on the allotment in force and, remembered, on the one
  // before it; by linear scaling on any other.
  assessment assess(const system_view& view, const allotment& given) const override;

  bool adapts() const override { return true; }

 private:
  struct memory;
  int forget_after_;
  std::shared_ptr<memory> memory_;
};

}  // namespace weir::rivals

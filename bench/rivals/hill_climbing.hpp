#pragma once

#include <memory>
#include <string>

#include <weir/scheduler/policies/policy.hpp>

namespace weir::rivals {

// The climb of Feedback-Directed Pipelining (Suleman et al., PACT 2010), without its joining of fast stages. It climbs
// on measured throughput without a model: one core goes from the component with most slack to the bottleneck
// (next_move). If the measured bottleneck then takes longer than before, the move is taken back. That pair is then
// skipped for the next `forget_after` invocations of the receiver, or until another move stays. A move that changes
// nothing stays: if two components are equally slow, a core for one of them does not yet raise the throughput.
//
// Unlike other rules it is not a pure function of the view: a view has only the allotment in force, so it cannot tell
// whether a move helped. An object and its copies together remember the last move of one run and the refused moves, so
// they may be used for one run only. It gives the same answer when asked twice for the same view. Safe to call from
// several threads.
//
// It takes changes of the input between two moves for gains or losses: without a model it cannot tell them apart. Like
// the equaliser, it does not decide who shares.
class hill_climbing : public allocation_rule {
 public:
  // Throws std::invalid_argument if forget_after is negative.
  explicit hill_climbing(int forget_after = 100);

  std::string name() const override { return "hill climbing"; }

  // Throws std::invalid_argument if the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;

  // The cost is the slowest component's seconds per record. It is measured for the allotment in force, remembered for
  // the one before it, and scaled linearly for any other.
  assessment assess(const system_view& view, const allotment& given) const override;

  bool adapts() const override { return true; }

 private:
  struct memory;
  int forget_after_;
  std::shared_ptr<memory> memory_;
};

}  // namespace weir::rivals

#pragma once

#include <string>

#include <weir/scheduler/policies/policy.hpp>

namespace weir::rivals {

// The next core goes to the slowest component as long as each keeps an efficiency of one half: T(1) / (p T(p)) >= 1/2,
// by the models. Cores beyond that stay idle. Lanes of one core are fully efficient, so this binds components of few
// lanes only.
//
// The half is that of Eager, Zahorjan and Lazowska, Speedup versus efficiency in parallel systems, IEEE Transactions on
// Computers 38(3), 1989. At the knee of time and efficiency, the largest benefit over cost, efficiency is a half or
// more.
//
// A value; a pure function of the view. Shares are equal until every model has an answer.
class half_efficiency : public allocation_rule {
 public:
  std::string name() const override { return "efficiency of one half"; }

  // Throws std::invalid_argument if the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;

  bool adapts() const override { return true; }
};

}  // namespace weir::rivals

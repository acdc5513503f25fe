#pragma once

#include <memory>
#include <string>

#include <weir/scheduler/policies/adaptive.hpp>
#include "bench/rivals/followed_rule.hpp"

namespace weir::rivals {

// A bandit over allotments with models as prior: Thompson sampling (Thompson, Biometrika 25, 1933; Russo et al., A
// Tutorial on Thompson Sampling, 2018). An arm is an allotment: the one in force, the answer of `adaptive` by the
// models of now, and the last ones that were in force. The logarithm of an arm's true over modelled cost has a normal
// prior. Measured over modelled times since the last move make the posterior of the arm in force. At each question one
// cost is drawn for each arm, and the least one comes into force whatever the move costs.
//
// Like hill climbing it remembers its run, so an object and its copies may be used for one run only. It gives the same
// answer when asked twice for the same view. Safe to call from several threads.
class model_bandit : public followed_rule {
 public:
  model_bandit();

  std::string name() const override { return "a bandit over allotments"; }

  // Throws std::invalid_argument if the components that ask for two or more cores ask for more than there are.
  allotment decide(const system_view& view) const override;

 private:
  struct memory;
  adaptive models_{objective::throughput};
  std::shared_ptr<memory> memory_;
};

}  // namespace weir::rivals

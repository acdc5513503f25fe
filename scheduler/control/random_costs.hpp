#pragma once

#include <cstdint>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/control/residual_belief.hpp"
#include "scheduler/control/sharing_residuals.hpp"

namespace weir {

// The costs that allotments may have, given possible errors of models: costs under some draws of the true times. Equal
// views and beliefs give equal draws. Without beliefs the models are taken as they are: there is one draw, theirs.
// Refers to its arguments.
class random_costs {
 public:
  static constexpr int draws = 16;     // in pairs of opposite deviations
  static constexpr int proposals = 8;  // answers of the rule for further draws

  // `by_bottleneck`: the cost is the bottleneck, whatever the rule minimises.
  random_costs(const system_view& view, std::vector<residual_belief> beliefs, const policy& rule,
               const sharing_residuals& sharing, bool by_bottleneck);

  // The view with the most likely times.
  const system_view& believed() const { return believed_; }

  // The rule's answers for the most likely times and for further draws, others for another `round`.
  std::vector<allotment> proposed(std::uint64_t round) const;

  // Seconds a record.
  struct random_cost {
    double cost;        // in the long run
    double bottleneck;  // between two results of a full stream; infinite where the cost is of cores
  };
  // By draw.
  std::vector<random_cost> costs(const allotment& of) const;

  // The same for the most likely times.
  assessment likely(const allotment& of) const { return rule_.assess(believed_, of); }

 private:
  allotment without_members(bool all) const;
  double factor_of(const allotment& given) const;  // by which sharing makes records take longer
  system_view sample(std::uint64_t number, double sign) const;

  const system_view& view_;
  const std::vector<residual_belief> beliefs_;
  const policy& rule_;
  const sharing_residuals& sharing_;
  const bool by_bottleneck_;
  system_view believed_;
  std::vector<system_view> samples_;
};

}  // namespace weir

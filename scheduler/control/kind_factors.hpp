#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <weir/model/observation.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// How much longer a component takes on one kind of cores than on another, learnt from its invocations. The model of a
// component is in the time of the kind that it was first seen on. Each other kind has a factor: the mean of measured
// times over the model's for the same input and as many cores. The factor that the machine says, by the speeds of its
// kinds, counts as `prior` invocations; and the latest count for more once there are `kept`.
//
// A lane whose cores are of several kinds teaches no factor, since it cannot tell which kind was slow. Not thread-safe.
class kind_factors {
 public:
  static constexpr double prior = 2;   // invocations: a speed in megahertz says little of one component
  static constexpr double kept = 256;  // invocations, as many as a learner keeps

  // REQUIRES: machine is not null.
  explicit kind_factors(std::shared_ptr<const topology> machine);

  // Takes an invocation in that took `seconds`, and returns its time by the model. `mean(cores)` are the model's
  // seconds for its input; NaN while they are unknown.
  double model_seconds(const observation& seen, double seconds, const std::function<double(int cores)>& mean);

  // The time of an invocation on these cores, in the kind that the model is of, times this. 1 on cores that the machine
  // does not have.
  double factor(const observation& seen, const std::function<double(int cores)>& mean) const;

  // By kind: the time of an invocation on it over that of the model.
  const std::vector<double>& by_kind() const { return factors_; }

 private:
  int kind_of(const core_set& lane) const;  // -1: several
  core_set lane_of(const observation& seen) const;

  std::shared_ptr<const topology> machine_;
  int own_ = -1;                 // the kind that the model is of; -1: none yet
  std::vector<double> factors_;  // by kind
  std::vector<double> counts_;   // by kind: invocations that the factor is of, the prior's included
};

}  // namespace weir

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <weir/model/observation.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// How much longer a component takes on one kind of cores than on another, learnt from its invocations. The model of a
// component is in the time of its own kind, the one that it was first seen on. Each other kind has a factor. It is
// the mean ratio of measured times to the model's there, over the same mean on the own kind. The factor that the
// machine says, by the speeds of its kinds, counts as `prior` invocations.
//
// A change of all times looks like one of a factor while the own kind is not in use. So a factor stays from `kept`
// invocations on after the last one on the own kind. A lane whose cores are of several kinds teaches no factor, since
// it cannot tell which kind was slow. Not thread-safe.
class kind_factors {
 public:
  static constexpr double prior = 2;    // invocations: a speed in megahertz says little of one component
  static constexpr double kept = 256;   // invocations, as many as a learner keeps
  static constexpr double settled = 8;  // invocations on a kind, before the model learns from those there

  // REQUIRES: machine is not null.
  explicit kind_factors(std::shared_ptr<const topology> machine);

  // Takes an invocation in that took `seconds`. `mean(cores)` are the model's seconds for its input; NaN while they are
  // unknown. True when the model may learn from it.
  bool observe(const observation& seen, double seconds, const std::function<double(int cores)>& mean);

  // The time of this invocation over that of the model. 1 on cores that the machine does not have.
  double factor(const observation& seen, const std::function<double(int cores)>& mean) const;

  // By kind: the time of an invocation on it over that of the model.
  const std::vector<double>& by_kind() const { return factors_; }

 private:
  struct level {
    double count = 0, mean = 1;  // of measured times over the model's
    double said = 1;             // by the machine: the factor, over that of the fastest kind
  };

  core_set lane_of(const observation& seen) const;
  int kind_of(const core_set& lane) const;  // -1: several

  std::shared_ptr<const topology> machine_;
  int own_ = -1;                 // the kind that the model is of; -1: none yet
  double since_own_ = 0;         // invocations since the last one there
  std::vector<level> levels_;    // by kind
  std::vector<double> factors_;  // by kind
};

}  // namespace weir

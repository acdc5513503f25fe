#pragma once

#include <weir/model/estimator.hpp>
#include "model/law/component_law.hpp"
#include "model/law/coverage.hpp"

namespace weir {

// The mean of a few invocations, whatever their x. A learner has it for a component with few and short invocations: a
// model would cost more memory and time than there is to learn. For other numbers of cores it assumes what every
// estimator does until it has seen two. Constant space.
class mean_model final : public estimator {
 public:
  void observe(const observation& seen) override;
  prediction predict(double x, int cores) const override;
  double mean(double x, int cores) const override;
  time_moments moments(std::span<const typical_input> inputs, int cores) const override;
  std::optional<input_sums> sums_over(std::span<const typical_input> inputs) const override;
  double mean_of(const input_sums& sums, int cores) const override;
  description describe() const override;
  known_cores cores_known() const override { return {false, seen_.largest_cores, seen_.smallest_cores}; }
  std::unique_ptr<estimator> clone() const override { return std::make_unique<mean_model>(*this); }
  std::vector<double> state() const override { return {}; }
  bool restore(const std::vector<double>&) override { return false; }

 private:
  static double share(int cores) { return optimistic_alpha / cores + (1 - optimistic_alpha); }

  coverage seen_;
  double sequential_ = 0;  // mean seconds on one core
};

}  // namespace weir

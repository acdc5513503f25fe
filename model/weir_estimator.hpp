#pragma once

#include "model/estimator.hpp"
#include "model/power_sums.hpp"
#include "model/rank_one_fit.hpp"

namespace weir {

// The estimator that a run uses unless told otherwise: the extended Amdahl law fitted online by relative, non-negative
// least squares, in constant space. It needs no observation on one core, since the sums know nothing of alpha.
//
// Each observation is weighed by 1 / (timer_noise^2 + W^2), so that small and large x come out right in percent. W is
// the time that the model expected, not the time seen, which would favour short times and bias the law downwards; but W
// stays within a factor of two of the time seen, for an expectation further off says that the law is still wrong.
// Median error of random cubic costs with 5 % noise after 50 and 1000 observations: 0.9 and 0.2 % so, 2.1 and 0.6 %
// with equal weights, 0.9 and 0.4 % weighed by the time seen, 1.1 and 0.3 % without the factor of two (README.md).
//
// The expectation comes from a law refitted every n/8 to n/16 observations (every one of the first 16), so observe()
// takes about 40 ns, or a few microseconds when it refits. predict() and describe() always answer from every
// observation so far: on an object whose fit is older they fit anew on the stack and keep nothing, which is why const
// calls may run concurrently. clone() fits once; take a clone to predict often.
class weir_estimator final : public estimator {
 public:
  // REQUIRES: 0 <= k.value <= rank_one_law::max_degree.
  explicit weir_estimator(degree k);

  void observe(const observation& seen) override;
  prediction predict(double x, int cores) const override;
  description describe() const override;
  std::unique_ptr<estimator> clone() const override;
  std::vector<double> state() const override;
  bool restore(const std::vector<double>& state) override;

 private:
  rank_one_fit fit() const { return fit_.observations == sums_.count() ? fit_ : fit_rank_one(sums_); }

  power_sums sums_;
  rank_one_law expected_;  // what weighs: as of the last scheduled refit
  rank_one_fit fit_;       // to some or all of the observations; never older than expected_
};

}  // namespace weir

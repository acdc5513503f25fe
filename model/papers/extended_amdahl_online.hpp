#pragma once

#include "model/law/component_law.hpp"
#include "model/law/power_sums.hpp"
#include "model/papers/paper_estimator.hpp"

namespace weir {

// The online extended Amdahl model of Verstraaten & Scholz, "On Predicting the Impact of Resource Redistributions in
// Streaming Applications", section 3.4, kept for comparison. Tseq(x) is fitted by ordinary least squares on running
// sums. The value of alpha is a running average at the highest point seen (largest p, then largest x). It starts anew
// at each new highest point.
//
// This implementation differs where the print is wrong:
//
// - Section 3.2 prints alpha = p/(1-p) * Tp/Tseq. From Tp = alpha Tseq/p + (1-alpha) Tseq follows
//   alpha = p/(p-1) * (1 - Tp/Tseq). It is clamped to [0, 1] here, since alpha > 1 makes times negative at large p
//   (parallel_share.hpp).
// - Section 3.4 counts k(k+1) stored values and asks for k+1 points. There are (2k+1) + (k+1) = 3k+2 distinct sums, and
//   k+1 *distinct* x determine Tseq. One more sum, of squares, serves the spread. The paper has no spread.
// - Section 3.4 takes Tseq from all measurements, but Tseq is seen only at p = 1. A measurement at p > 1 must be used,
//   or nothing could be said before one at p = 1. So it is divided by the share of one core's time that the current
//   alpha gives. A stale alpha stays in the sums for ever: the estimator's main error, which is inherent in the method.
//
// Until alpha was measured it is optimistic_alpha. At a new highest point where Tseq is not positive yet, the old alpha
// stays and counts as not known. Where x does not determine Tseq, a basic solution of the normal equations is used.
// Predictions are clamped to 0 or more.
//
// The spread is the residual standard deviation of the sums, scaled to p. The scatter is that deviation relative to
// their mean time. Confidence is n / (n + k + 1), times largest p / p beyond the largest p.
//
// observe() solves the normal equations each time, in about a microsecond.
class extended_amdahl_online final : public paper_estimator {
 public:
  // REQUIRES: 0 <= k.value <= component_law::max_degree.
  explicit extended_amdahl_online(degree k);

  std::unique_ptr<estimator> clone() const override;

 private:
  coverage seen() const override;
  void learn(const observation& usable) override;
  prediction predicted(double x, int cores) const override;
  description described(description seen) const override;
  std::vector<double> numbers() const override;
  bool assign(std::span<const double> numbers) override;

  void learn_alpha(const observation& seen);
  void solve();
  bool is_alpha_known() const { return averaged_ > 0; }

  power_sums sums_;        // of times divided down to one core
  component_law law_;      // solution of sums_, with the running average of alpha
  double residual_ = 0;    // standard deviation of the times in sums_, seconds
  double averaged_ = 0;    // number of observations averaged in law_.alpha
  int lowest_cores_ = 0;   // smallest p
  int highest_cores_ = 0;  // the highest point: largest p,
  double highest_x_ = 0;   // then largest x there
};

}  // namespace weir

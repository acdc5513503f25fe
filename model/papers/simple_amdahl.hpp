#pragma once

#include "model/law/scatter.hpp"
#include "model/papers/paper_estimator.hpp"

namespace weir {

// Amdahl's law with a constant sequential time, T_p = alpha Tseq / p + (1 - alpha) Tseq. It ignores the predictor value
// and the degree (J. Sykora and S.-B. Scholz, 2013; Verstraaten & Scholz, section 2.3).
//
// T_p is linear in q = 1/p with slope b = alpha Tseq and intercept a = (1 - alpha) Tseq. The law does not say how to
// fit it, so it is fitted in the ordinary way: by least squares on (1, q) with equal weights. Neither a nor b may be
// negative, so alpha lies in [0, 1]. If the line has a < 0 or b < 0, the best line with that one at 0 is taken. For two
// unknowns that is the non-negative least squares solution.
//
// It takes constant space: means of q and t and their centred second moments, updated without cancellation (B. P.
// Welford, Technometrics 4, 1962). With one p seen, alpha is optimistic_alpha. The spread is the prediction times the
// residual standard deviation relative to the mean time (scatter.hpp). Confidence comes from coverage with two
// parameters. An observation takes some 10 ns, and the fit is as cheap.
class simple_amdahl final : public paper_estimator {
 public:
  explicit simple_amdahl(degree k) : paper_estimator("simple-amdahl", {101, static_cast<double>(k.value)}) {}

  std::unique_ptr<estimator> clone() const override;

 private:
  coverage seen() const override { return seen_; }
  void learn(const observation& usable) override;
  prediction predicted(double x, int cores) const override;
  description described(description seen) const override;
  std::vector<double> numbers() const override;
  bool assign(std::span<const double> numbers) override;

  struct line {
    double intercept, slope;  // seconds
    double sequential() const { return intercept + slope; }
    double alpha() const { return slope / sequential(); }
    double at(int cores) const { return intercept + slope / cores; }
  };
  line fit() const;
  scatter scatter_about(const line& fitted) const;
  bool is_alpha_known() const { return seen_.largest_cores > seen_.smallest_cores; }

  coverage seen_;
  double mean_q_ = 0, mean_t_ = 0;   // q = 1/p, t in seconds
  double qq_ = 0, qt_ = 0, tt_ = 0;  // sums of products of the deviations from the means
};

}  // namespace weir

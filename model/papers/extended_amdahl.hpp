#pragma once

#include <memory>
#include <string_view>

#include "model/law/component_law.hpp"
#include "model/papers/paper_estimator.hpp"
#include "model/papers/point_table.hpp"

namespace weir {

// The extended Amdahl model of M. Verstraaten and S.-B. Scholz, "On Predicting the Impact of Resource Redistributions
// in Streaming Applications", section 3. It is fitted offline, to all points together:
//
//   T_p(x) = alpha Tseq(x) / p + (1 - alpha) Tseq(x),   Tseq(x) = sum_i c_i x^i.
//
// Tseq is the least squares polynomial through the times measured on one core, every observation with equal weight.
// Then each point on p > 1 cores gives a value alpha = p/(p-1) * (1 - Tp / Tseq(x)). One word says how these values are
// combined:
//
//   `highest`       The default, and the paper's choice: the value at the largest p, and there at the largest x.
//   `mean`          The mean over all observations.
//   `clamped-mean`  The mean of the values clamped to [0, 1].
//
// At small x a wrong Tseq(x) or a little noise makes alpha arbitrary. That affects an average, but not the highest
// point. The final alpha is always clamped to [0, 1].
//
// Errata: section 3.2 prints alpha = p/(1-p) * Tp/Tseq (parallel_share.hpp). The paper states errors in percent of the
// predicted time; here, as everywhere, they are relative to the measured one.
//
// Without a point on one core, Tseq is fitted at the smallest p seen, with times divided by the share that
// optimistic_alpha gives there. The final alpha is known once one core and a larger p were seen. With one p it is
// optimistic_alpha. With fewer distinct x than k + 1 the polynomial has a lower degree. Predictions are clamped to 0 or
// more. The spread is the prediction times the scatter about the law (scatter.hpp) with k + 2 parameters. Confidence
// comes from coverage with the same number.
//
// The points are in a point_table of 8 KB. observe() adds one in less than half a microsecond. Later answers fit anew,
// in 1 to 5 us, and keep nothing. A clone() is fitted once; take one to predict often.
class extended_amdahl final : public paper_estimator {
 public:
  static constexpr std::string_view plain = "extended-amdahl";
  static std::span<const word_option> options();

  enum class aggregation { highest, mean, clamped_mean };

  // Throws std::invalid_argument on other words than those above. REQUIRES: 0 <= k.value <= 8.
  extended_amdahl(std::string_view name, degree k);

  std::unique_ptr<estimator> clone() const override;

 private:
  coverage seen() const override { return table_.seen(); }
  void learn(const observation& usable) override;
  prediction predicted(double x, int cores) const override;
  description described(description seen) const override;
  std::vector<double> numbers() const override { return table_.numbers(); }
  bool assign(std::span<const double> numbers) override;

  struct fitted {
    component_law law;
    bool alpha_known = false;
    double seen = 0, expected = 0;   // scatter
    std::uint64_t observations = 0;  // number fitted to
  };
  fitted fit() const;
  void fit_sequential(component_law& law) const;
  void fit_alpha(fitted& out) const;

  aggregation how_;
  point_table table_;
  fitted fit_;  // as of the last clone() or restore(); its degree is always valid
};

}  // namespace weir

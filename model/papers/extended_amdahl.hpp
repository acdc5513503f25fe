#pragma once

#include <string>

#include "model/estimator.hpp"
#include "model/law/rank_one_law.hpp"
#include "model/papers/estimator_words.hpp"
#include "model/papers/point_table.hpp"

namespace weir {

// The extended Amdahl model of M. Verstraaten and S.-B. Scholz, "On Predicting the Impact of Resource Redistributions
// in Streaming Applications", section 3, fitted offline to all points at once:
//
//   T_p(x) = alpha Tseq(x) / p + (1 - alpha) Tseq(x),   Tseq(x) = sum_i c_i x^i
//
// Tseq is the least squares polynomial through what was measured on one core, every observation with equal weight. Then
// each point on p > 1 cores says alpha = p/(p-1) * (1 - Tp / Tseq(x)), and one word says what is made of them:
//
//   highest (default)  that of the largest p, and of the largest x there: the paper's choice
//   mean               the mean over all observations
//   clamped-mean       the mean of those values clamped to [0, 1]
//
// At small x a wrong Tseq(x) or a little noise makes alpha anything, which an average takes in and the highest point
// does not. The final alpha is clamped to [0, 1] always.
//
// Errata: section 3.2 prints alpha = p/(1-p) * Tp/Tseq (parallel_share.hpp). The paper states errors in percent of the
// predicted time; here, as everywhere, they are relative to the measured one.
//
// Keeps a point_table, 8 KB. Without a point on one core Tseq is that of the smallest p seen, divided by what
// optimistic_alpha makes of it. alpha is known once one core and a larger p were seen; with one p it is
// optimistic_alpha. With fewer distinct x than k + 1 the polynomial has a lower degree. Predictions are clamped to be
// no less than 0. spread is the prediction times the scatter about the law (scatter.hpp) with k + 2 parameters, of
// which coverage makes the confidence too.
//
// observe() keeps the point, in less than half a microsecond. Answers after that fit anew, in 1 to 5 us, and keep
// nothing; clone() fits once: take a clone to predict often.
class extended_amdahl final : public estimator {
 public:
  static constexpr std::string_view plain = "extended-amdahl";
  static std::span<const word_option> options();

  enum class aggregation { highest, mean, clamped_mean };

  // Throws std::invalid_argument on words that are not of the above. REQUIRES: 0 <= k.value <= 8.
  extended_amdahl(std::string_view name, degree k);

  void observe(const observation& seen) override;
  prediction predict(double x, int cores) const override;
  description describe() const override;
  std::unique_ptr<estimator> clone() const override;
  std::vector<double> state() const override;
  bool restore(const std::vector<double>& state) override;

 private:
  struct fitted {
    rank_one_law law;
    bool alpha_known = false;
    double seen = 0, expected = 0;   // scatter
    std::uint64_t observations = 0;  // that it was fitted to
  };
  fitted fit() const;
  void fit_sequential(rank_one_law& law) const;
  void fit_alpha(fitted& out) const;

  std::string name_;
  aggregation how_;
  point_table table_;
  fitted fit_;  // as of the last clone(); the degree always
};

}  // namespace weir

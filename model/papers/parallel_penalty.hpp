#pragma once

#include <memory>
#include <string_view>

#include "model/papers/paper_estimator.hpp"
#include "model/papers/penalty_model.hpp"
#include "model/papers/point_table.hpp"

namespace weir {

// The parallel penalty of O. Lobachev and R. Loogen, "Estimating Parallel Performance, A Skeleton-Based Approach" (HLPP
// 2010), offline. The model is T(n,p) = ideal(n,p) + A(n,p), and the predictor value x is their n. T(n) and A are
// predicted separately, by curves through the points seen. The details are in penalty_model.hpp, skeleton.hpp and
// curve.hpp. Negative predictions are clamped to 0.
//
// These are the words of its name, defaults first:
//
//   `n | p`
//       A over n at each p, or over p at each n.
//   `best-two | spline | loess | lm | poly`
//       The curves. best-two is the mean of the two best by leave-one-out error.
//   `map | farm | iteration | divide-and-conquer`
//       The skeleton, from which ideal(n,p) follows.
//   `branching-3 | -2 | -4 | -7 | -8`
//       Divide-and-conquer only: into how many problems of half the size it splits.
//
// Erratum: the print calls T(n,p)/T(n) the absolute speedup; it is its reciprocal. With their serial fraction f,
// description::alpha is clamped to [0, 1] and is
//
//   alpha = 1 - f,   f = (T(n,p)/T(n) - 1/p) / (1 - 1/p).
//
// It is taken at the highest point: the largest p, and there the largest x. It is known once p = 1 and a larger p were
// seen.
//
// The spread combines errors as the paper does: the deviations of the points from the curves of T and of A, and of the
// observations from their points. In description::coefficients is the least squares polynomial through the sequential
// times, whatever the curves are. Confidence comes from coverage, with k + 2 parameters.
//
// The points are in a point_table of 8 KB. observe() adds one in less than half a microsecond. Every answer draws the
// curves anew: 1 to 15 us with 50 observations, 3 to 130 us with a full table. It also finds the best two anew, except
// in a clone(), which finds them once; take one to predict often.
class parallel_penalty final : public paper_estimator {
 public:
  static constexpr std::string_view plain = "parallel-penalty";
  static std::span<const word_option> options();

  // Throws std::invalid_argument on other words than those above, and on a branching without divide-and-conquer.
  // REQUIRES: 0 <= k.value <= 8.
  parallel_penalty(std::string_view name, degree k);

  std::unique_ptr<estimator> clone() const override;

 private:
  coverage seen() const override { return table_.seen(); }
  void learn(const observation& usable) override;
  prediction predicted(double x, int cores) const override;
  description described(description seen) const override;
  std::vector<double> numbers() const override { return table_.numbers(); }
  bool assign(std::span<const double> numbers) override;

  double alpha_of(const penalty_model& model) const;

  penalty_options how_;
  point_table table_;
  std::shared_ptr<const penalty_model::choices> chosen_;  // set in a clone until it observes; immutable
};

}  // namespace weir

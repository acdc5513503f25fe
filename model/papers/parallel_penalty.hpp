#pragma once

#include <memory>
#include <string>

#include "model/estimator.hpp"
#include "model/papers/estimator_words.hpp"
#include "model/papers/penalty_model.hpp"
#include "model/papers/point_table.hpp"

namespace weir {

// The parallel penalty of O. Lobachev and R. Loogen, "Estimating Parallel Performance, A Skeleton-Based Approach" (HLPP
// 2010), offline: T(n,p) = ideal(n,p) + A(n,p), where T(n) and A are predicted separately by curves through the points
// seen; the predictor value x is their n. How is told in penalty_model.hpp, skeleton.hpp and curve.hpp; negative
// predictions are clamped to 0. Words of its name, defaults first:
//
//   n | p                                        A over n at each p, or over p at each n
//   best-two | spline | loess | lm | poly        the curves; best-two is the mean of the two best by leave-one-out
//   error map | farm | iteration | divide-and-conquer  the skeleton, from which ideal(n,p) follows branching-3 | -2 |
//   -4 | -7 | -8              into how many of half the size divide-and-conquer splits
//
// Erratum: the print calls T(n,p)/T(n) the absolute speedup; it is its reciprocal. description::alpha is 1 - f with
// their serial fraction f = (T(n,p)/T(n) - 1/p) / (1 - 1/p) at the highest point, largest p and then largest x, clamped
// to [0, 1]; it is known once p = 1 and a larger p were seen.
//
// Keeps a point_table, 8 KB. spread combines errors as the paper does: the deviations of the points from the curves of
// T and of A, and of the observations from their points. description::coefficients are the least squares polynomial
// through the sequential times, whatever the curves are. confidence is coverage's, with k + 2 parameters.
//
// observe() keeps the point, in less than half a microsecond. Every answer draws the curves anew: 1 to 15 us with 50
// observations, 3 to 130 us with a full table. Which two are best is found anew with it, unless in a clone(), which
// finds it once: take a clone to predict often.
class parallel_penalty final : public estimator {
 public:
  static constexpr std::string_view plain = "parallel-penalty";
  static std::span<const word_option> options();

  // Throws std::invalid_argument on words that are not of the above. REQUIRES: 0 <= k.value <= 8.
  parallel_penalty(std::string_view name, degree k);

  void observe(const observation& seen) override;
  prediction predict(double x, int cores) const override;
  description describe() const override;
  std::unique_ptr<estimator> clone() const override;
  std::vector<double> state() const override;
  bool restore(const std::vector<double>& state) override;

 private:
  double alpha_of(const penalty_model& model) const;

  std::string name_;
  penalty_options how_;
  double variant_ = 0;  // the words as a number, for the state
  point_table table_;
  std::shared_ptr<const penalty_model::choices> chosen_;  // of a clone, until it observes; immutable
};

}  // namespace weir

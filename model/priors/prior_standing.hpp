#pragma once

#include <array>

namespace weir {

// How well a model of an earlier run predicts the first observations of another run, times one factor. Constant space,
// never allocates.
//
// Each observation gives r, the logarithm of time / prediction, and s, the scatter that the model expects of r. The
// factor's logarithm f is a robust mean of r: the least of sum_j rho((r_j - f) / s_j) + (f / ln 2)^2, where rho is
// Huber's (Huber 1964, https://doi.org/10.1214/aoms/1177703732). The last term says that a factor of two is usual.
class prior_standing {
 public:
  static constexpr int most = 10;      // observations
  static constexpr double kept = 0.8;  // of earlier errors in late_error()

  // Takes in one observation. `log_ratio` is NaN or infinite where the model predicts nothing. REQUIRES: scatter > 0,
  // and fewer than `most` observations so far.
  void judge(double log_ratio, double scatter);

  double log_factor() const { return factor_; }
  // One standard deviation of log_factor(), late times aside.
  double uncertainty() const;
  // Is smaller for a likelier model: minus twice the logarithm of the likelihood, without its constants.
  double badness() const;
  // Whether the model expects errors of this size. A late observation counts as three deviations, and so does an
  // observation without a prediction.
  bool fits() const;
  // The sum of the squared errors, as logarithms, of its predictions before each observation but the first.
  double late_error() const { return error_; }

  // Such a sum with the next error. Earlier errors count `kept` times as much as before, and each counts by a factor of
  // 2 at most.
  static double after(double late_error, double log_error, double kept);

 private:
  double misfit() const;  // the sum of squared errors in units of their scatter
  void fit_factor();

  std::array<double, most> log_ratio_{}, scatter_{};
  int count_ = 0;   // in both
  int silent_ = 0;  // observations for which the model predicted nothing
  double factor_ = 0, error_ = 0;
};

}  // namespace weir

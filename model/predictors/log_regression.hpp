#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/predictors/index_sample.hpp"

namespace weir {

// The values of one predictor in some samples. Plain data.
struct predictor_range {
  static constexpr int most_values = 32;

  double low = 0, high = 0;  // of all values
  double least = 1;          // positive value
  bool is_number = false;    // none is negative
  int values = 0;            // different ones, in `value`; 0: too many to have levels
  int first_level = 0;       // of these, among all levels
  std::array<float, most_values> value{};
};
predictor_range range_of(std::span<const index_sample> samples, int predictor);

// The columns of a regression, by predictor.
struct regression_columns {
  std::array<bool, most_predictors> line{}, bend{}, levels{};
};

// A solution: log t = constant + broken line of cores + for each predictor its columns. Plain data.
struct regression {
  static constexpr int bends_of_cores = 4;
  double constant = 0;
  std::array<double, bends_of_cores> cores{};
  std::array<double, most_predictors> slope{}, bend{};
  std::array<double, joint_index::most_levels> levels{};
  double squares = 0;  // weighted, of the residuals
  int parameters = 0;
};

// Regressions of log times on different columns of the same samples, by least squares with weak priors. Not
// thread-safe. Its tables are on the heap, since threads with small stacks learn, too.
class log_regression {
 public:
  // Throws std::bad_alloc. REQUIRES: 0 < samples <= most_index_samples; they and the ranges outlive it.
  log_regression(std::span<const index_sample> samples, std::span<const predictor_range> ranges);

  // Sums up all columns: before solve(), and again after weigh() or leave_out().
  void sum_up();
  regression solve(const regression_columns& columns) const;  // throws std::bad_alloc

  // Sets the scatter, and each sample's weight by its residual.
  void weigh(const regression& by);
  double weight(std::size_t sample) const { return rows_[sample].weight; }
  // Explains log t less this instead.
  void leave_out(std::size_t sample, double log_seconds) {
    rows_[sample].y = samples_[sample].log_seconds - log_seconds;
  }
  // The parts of cores and levels.
  double beside(std::size_t sample, const regression& by) const;

 private:
  static constexpr int first_number = 1 + regression::bends_of_cores;
  static constexpr int dense = first_number + 2 * most_predictors;
  static constexpr int most_columns = dense + joint_index::most_levels;
  struct row {
    std::array<double, dense> column{};
    std::array<std::int8_t, most_predictors> level{};  // -1: none
    double y = 0, weight = 1;
  };
  double value(const row& r, const regression& by) const;

  std::span<const index_sample> samples_;
  std::span<const predictor_range> ranges_;
  std::vector<row> rows_;
  std::vector<std::array<double, most_columns>> gram_;  // the lower triangle
  std::array<double, most_columns> right_{};
  double square_ = 0;              // of y
  double variance_ = 0.05 * 0.05;  // of the residuals
};

}  // namespace weir

#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>

#include "model/mixture/mixture.hpp"

namespace weir::detail {

// Rows are processed in blocks, which stay in the cache while every mode works on them. Nothing is kept per row except
// the data. So memory does not grow with what EM computes, even for a million rows.
constexpr Eigen::Index block_rows = 256;

// A block of rows as matrices. Densities and laws are linear in columns made of the features. The logarithm of a normal
// density is linear in f and f^2, the logarithm of a share in the indicators of the levels. So all work is matrix
// products.
struct mixture_block {
  std::size_t first = 0;    // row of the data
  Eigen::MatrixXd density;  // rows x density_columns()
  Eigen::MatrixXd law;      // rows x law_columns()
  Eigen::VectorXd time;
};

// The parameters in the same form: one column for each mode.
struct mixture_coefficients {
  Eigen::MatrixXd density;  // density_columns() x modes; weights are in the constant
  Eigen::MatrixXd law;      // law_columns() x modes
  Eigen::ArrayXd noise;

  explicit mixture_coefficients(const mixture_model& model);

  // Log densities of the features (weight included), and separately of the time: rows x modes each.
  Eigen::ArrayXXd of_features(const mixture_block& block) const;
  Eigen::ArrayXXd residuals(const mixture_block& block) const;  // in units of the noise
  Eigen::ArrayXXd of_times(const Eigen::ArrayXXd& residuals) const;
};

// The weight of a row in a law that it lies this far from. Student's noise is normal noise with a precision drawn for
// each row; this is the expectation of that precision.
Eigen::ArrayXXd trust(const Eigen::ArrayXXd& residuals);

// Replaces each log density by the mode's share of the row. Returns log(sum over modes of exp) for each row.
Eigen::ArrayXd share_out(Eigen::ArrayXXd& log_densities);

void fill(mixture_block& block, const mixture_data& data, std::size_t first, std::size_t count);

// Calls visit(block) for all blocks, in order.
template <typename Visit>
void for_each_block(const mixture_data& data, const Visit& visit) {
  mixture_block block;
  constexpr auto most = static_cast<std::size_t>(block_rows);
  for (std::size_t first = 0; first < data.rows(); first += most) {
    fill(block, data, first, std::min(most, data.rows() - first));
    visit(block);
  }
}

}  // namespace weir::detail

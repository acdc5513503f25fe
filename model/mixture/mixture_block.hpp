#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>

#include "model/mixture/mixture.hpp"

namespace weir::detail {

// Rows are worked on in blocks, which stay in the cache while every mode looks at them, and nothing is kept of a row
// but what the data hold: of a million rows memory does not grow by what EM thinks of them.
constexpr Eigen::Index block_rows = 256;

// A block of rows, written out. Both densities and laws are linear in columns made of the features: the logarithm of a
// normal density in f and f^2, that of a share in the indicators of the levels. So all that is done is matrix products.
struct mixture_block {
  std::size_t first = 0;    // row of the data
  Eigen::MatrixXd density;  // rows x density_columns()
  Eigen::MatrixXd law;      // rows x law_columns()
  Eigen::VectorXd time;
};

// The same of the parameters: columns for modes.
struct mixture_coefficients {
  Eigen::MatrixXd density;  // density_columns() x modes; weights are in the constant
  Eigen::MatrixXd law;      // law_columns() x modes
  Eigen::ArrayXd noise;

  explicit mixture_coefficients(const mixture_model& model);

  // Log density of the features (weight included), and of the time beside it: rows x modes each.
  Eigen::ArrayXXd of_features(const mixture_block& block) const;
  Eigen::ArrayXXd residuals(const mixture_block& block) const;  // in units of the noise
  Eigen::ArrayXXd of_times(const Eigen::ArrayXXd& residuals) const;
};

// How much a row counts in a law that it is so far from: Student's noise is normal noise of a precision drawn for each
// row, and this is its expectation.
Eigen::ArrayXXd trust(const Eigen::ArrayXXd& residuals);

// Puts each mode's share of a row in place of its log density, and gives log(sum over modes of exp) of each row.
Eigen::ArrayXd share_out(Eigen::ArrayXXd& log_densities);

void fill(mixture_block& block, const mixture_data& data, std::size_t first, std::size_t count);

// Calls look(block) for all rows, in order.
template <typename Look>
void for_each_block(const mixture_data& data, const Look& look) {
  mixture_block block;
  constexpr auto most = static_cast<std::size_t>(block_rows);
  for (std::size_t first = 0; first < data.rows(); first += most) {
    fill(block, data, first, std::min(most, data.rows() - first));
    look(block);
  }
}

}  // namespace weir::detail

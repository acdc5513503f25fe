#include "model/mixture/mixture_block.hpp"

#include <cmath>
#include <numbers>

namespace weir::detail {
namespace {

constexpr double freedom = mixture_model::freedom;
const double half_log_two_pi = 0.5 * std::log(2 * std::numbers::pi);
const double log_of_student =
    std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2) - 0.5 * std::log(freedom * std::numbers::pi);

}  // namespace

void fill(mixture_block& block, const mixture_data& data, std::size_t first, std::size_t count) {
  const auto rows = static_cast<Eigen::Index>(count);
  const auto features = static_cast<Eigen::Index>(data.continuous.size());
  block.first = first;
  block.density.resize(rows, data.density_columns());
  block.law.resize(rows, data.law_columns());
  block.density.col(0).setOnes();
  for (Eigen::Index f = 0; f < features; ++f) {
    const float* const values = data.continuous[static_cast<std::size_t>(f)].data() + first;
    block.density.col(1 + f) = Eigen::Map<const Eigen::VectorXf>(values, rows).cast<double>();
    block.density.col(1 + features + f) = block.density.col(1 + f).array().square();
  }
  block.law.leftCols(1 + features) = block.density.leftCols(1 + features);
  Eigen::Index indicator = 1 + 2 * features, law_indicator = 1 + features;
  for (const mixture_data::discrete_column& d : data.discrete) {
    block.density.middleCols(indicator, d.levels).setZero();
    for (Eigen::Index r = 0; r < rows; ++r) block.density(r, indicator + d.level[first + r]) = 1;
    if (d.in_law) {
      block.law.middleCols(law_indicator, d.levels - 1) = block.density.middleCols(indicator + 1, d.levels - 1);
      law_indicator += d.levels - 1;
    }
    indicator += d.levels;
  }
  block.time = Eigen::Map<const Eigen::VectorXf>(data.time.data() + first, rows).cast<double>();
}

mixture_coefficients::mixture_coefficients(const mixture_model& model) {
  const mixture_mode& any = model.modes.front();
  const auto modes = static_cast<Eigen::Index>(model.modes.size());
  const auto features = static_cast<Eigen::Index>(any.mean.size());
  Eigen::Index columns = 1 + 2 * features;
  for (const auto& levels : any.share) columns += static_cast<Eigen::Index>(levels.size());
  density.resize(columns, modes);
  law.resize(static_cast<Eigen::Index>(any.law.size()), modes);
  noise.resize(modes);
  for (Eigen::Index k = 0; k < modes; ++k) {
    const mixture_mode& mode = model.modes[static_cast<std::size_t>(k)];
    double constant = std::log(mode.weight);
    for (Eigen::Index f = 0; f < features; ++f) {
      const double mean = mode.mean[static_cast<std::size_t>(f)];
      const double deviation = mode.deviation[static_cast<std::size_t>(f)];
      const double precision = 1 / (deviation * deviation);
      density(1 + f, k) = mean * precision;
      density(1 + features + f, k) = -precision / 2;
      constant -= mean * mean * precision / 2 + std::log(deviation) + half_log_two_pi;
    }
    density(0, k) = constant;
    Eigen::Index indicator = 1 + 2 * features;
    for (const auto& levels : mode.share)
      for (const double share : levels) density(indicator++, k) = std::log(share);
    law.col(k) = Eigen::Map<const Eigen::VectorXd>(mode.law.data(), law.rows());
    noise[k] = mode.noise;
  }
}

Eigen::ArrayXXd mixture_coefficients::of_features(const mixture_block& block) const {
  return (block.density * density).array();
}

Eigen::ArrayXXd mixture_coefficients::residuals(const mixture_block& block) const {
  Eigen::ArrayXXd apart = -(block.law * law).array();
  apart.colwise() += block.time.array();
  apart.rowwise() /= noise.transpose();
  return apart;
}

Eigen::ArrayXXd mixture_coefficients::of_times(const Eigen::ArrayXXd& residuals) const {
  Eigen::ArrayXXd densities = 1 + residuals.square() / freedom;
  densities = log_of_student - (freedom + 1) / 2 * densities.log();
  densities.rowwise() -= noise.log().transpose();
  return densities;
}

Eigen::ArrayXXd trust(const Eigen::ArrayXXd& residuals) { return (freedom + 1) / (freedom + residuals.square()); }

// One step at a time, so that each is a plain loop over an array, which the compiler and Eigen make fast.
Eigen::ArrayXd share_out(Eigen::ArrayXXd& log_densities) {
  const Eigen::ArrayXd largest = log_densities.rowwise().maxCoeff();
  log_densities.colwise() -= largest;
  log_densities = log_densities.exp();
  Eigen::ArrayXd sums = log_densities.col(0);
  for (Eigen::Index k = 1; k < log_densities.cols(); ++k) sums += log_densities.col(k);
  log_densities.colwise() /= sums;
  sums = sums.log();
  return sums + largest;
}

}  // namespace weir::detail

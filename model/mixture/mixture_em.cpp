#include "model/mixture/mixture_em.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "model/mixture/mixture_block.hpp"

namespace weir {
namespace {

using detail::mixture_block;
using detail::mixture_coefficients;

// A mode with fewer rows than this in total keeps its parameters, since nothing is left to learn them from.
constexpr double least_rows = 1e-3;

// For each mode, the sums of the density columns, from which the densities are maximised.
struct density_sums {
  Eigen::MatrixXd sums;

  density_sums(const mixture_data& data, Eigen::Index modes)
      : sums(Eigen::MatrixXd::Zero(data.density_columns(), modes)) {}

  void add(const mixture_block& block, const Eigen::ArrayXXd& shares) {
    sums.noalias() += block.density.transpose() * shares.matrix();
  }

  void maximise(mixture_model& model, const mixture_limits& limits) const {
    const double all = sums.row(0).sum(), modes = static_cast<double>(model.modes.size());
    for (Eigen::Index k = 0; k < sums.cols(); ++k) {
      mixture_mode& mode = model.modes[static_cast<std::size_t>(k)];
      const double rows = sums(0, k);
      mode.weight = (rows + limits.pseudo_rows) / (all + limits.pseudo_rows * modes);
      if (rows < least_rows) continue;
      const auto features = static_cast<Eigen::Index>(mode.mean.size());
      for (Eigen::Index f = 0; f < features; ++f) {
        const double mean = sums(1 + f, k) / rows;
        const double variance = sums(1 + features + f, k) / rows - mean * mean;
        mode.mean[static_cast<std::size_t>(f)] = mean;
        mode.deviation[static_cast<std::size_t>(f)] =
            std::sqrt(std::max(variance, limits.least_deviation * limits.least_deviation));
      }
      Eigen::Index indicator = 1 + 2 * features;
      for (auto& shares : mode.share) {
        const double of_column = rows + limits.pseudo_rows * static_cast<double>(shares.size());
        for (double& share : shares) share = (sums(indicator++, k) + limits.pseudo_rows) / of_column;
      }
    }
  }
};

// For each mode the weighted normal equations, from which the laws are maximised. Columns are of similar size, and
// there are up to millions of rows for some tens of columns. So the condition number is not what limits a law's
// accuracy.
struct law_sums {
  std::vector<Eigen::MatrixXd> squares;  // the lower triangle
  Eigen::MatrixXd products;
  Eigen::VectorXd time_squares, rows;

  law_sums(const mixture_data& data, Eigen::Index modes)
      : squares(static_cast<std::size_t>(modes), Eigen::MatrixXd::Zero(data.law_columns(), data.law_columns())),
        products(Eigen::MatrixXd::Zero(data.law_columns(), modes)),
        time_squares(Eigen::VectorXd::Zero(modes)),
        rows(Eigen::VectorXd::Zero(modes)) {}

  // `weights` are shares times trust().
  void add(const mixture_block& block, const Eigen::ArrayXXd& shares, const Eigen::ArrayXXd& weights) {
    rows += shares.colwise().sum().matrix().transpose();
    for (Eigen::Index k = 0; k < shares.cols(); ++k) {
      const Eigen::ArrayXd root = weights.col(k).sqrt();
      const Eigen::MatrixXd weighted = block.law.array().colwise() * root;
      squares[static_cast<std::size_t>(k)].selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
    }
    const Eigen::MatrixXd times = weights.colwise() * block.time.array();
    products.noalias() += block.law.transpose() * times;
    time_squares.noalias() += times.transpose() * block.time;
  }

  void maximise(mixture_model& model, const mixture_limits& limits, std::size_t all_rows) const {
    const double ridge = limits.ridge * static_cast<double>(all_rows);
    for (Eigen::Index k = 0; k < products.cols(); ++k) {
      mixture_mode& mode = model.modes[static_cast<std::size_t>(k)];
      Eigen::MatrixXd normal = squares[static_cast<std::size_t>(k)].selfadjointView<Eigen::Lower>();
      if (rows[k] < least_rows) continue;
      const Eigen::MatrixXd plain = normal;
      normal.diagonal().tail(normal.rows() - 1).array() += ridge;
      const Eigen::LDLT<Eigen::MatrixXd> solver(normal);
      const Eigen::VectorXd law = solver.solve(products.col(k));
      const double size = law.tail(law.size() - 1).squaredNorm();
      const double left = time_squares[k] - 2 * law.dot(products.col(k)) + law.dot(plain * law) + ridge * size;
      mode.noise = std::sqrt(std::max(left / rows[k], limits.least_noise * limits.least_noise));
      mode.law.assign(law.begin(), law.end());
      const Eigen::VectorXd variances =
          solver.solve(Eigen::MatrixXd::Identity(law.size(), law.size())).diagonal().cwiseMax(0);
      mode.law_error.resize(mode.law.size());
      // Student's information on a law is less than the normal's by this factor (Lange, Little & Taylor, appendix B).
      const double loss = (mixture_model::freedom + 3) / (mixture_model::freedom + 1);
      for (Eigen::Index j = 0; j < law.size(); ++j)
        mode.law_error[static_cast<std::size_t>(j)] = mode.noise * std::sqrt(loss * variances[j]);
    }
  }
};

mixture_model blank(const mixture_data& data, int modes) {
  mixture_mode mode;
  mode.mean.assign(data.continuous.size(), 0);
  mode.deviation.assign(data.continuous.size(), 1);
  for (const auto& d : data.discrete)
    mode.share.emplace_back(static_cast<std::size_t>(d.levels), 1 / static_cast<double>(d.levels));
  mode.law.assign(static_cast<std::size_t>(data.law_columns()), 0);
  mode.law_error = mode.law;
  return {std::vector<mixture_mode>(static_cast<std::size_t>(modes), mode), 0, 0};
}

}  // namespace

mixture_model mixture_em::from_labels(const std::vector<std::uint8_t>& labels, int modes) const {
  std::vector<int> rows(static_cast<std::size_t>(modes), 0), position(rows);
  for (const std::uint8_t label : labels) ++rows[label];
  int present = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) position[k] = rows[k] > 0 ? present++ : 0;
  mixture_model model = blank(data_, present);
  density_sums densities(data_, present);
  law_sums laws(data_, present);
  detail::for_each_block(data_, [&](const mixture_block& block) {
    Eigen::ArrayXXd shares = Eigen::ArrayXXd::Zero(block.time.size(), present);
    for (Eigen::Index r = 0; r < shares.rows(); ++r)
      shares(r, position[labels[block.first + static_cast<std::size_t>(r)]]) = 1;
    densities.add(block, shares);
    laws.add(block, shares, shares);
  });
  densities.maximise(model, limits_);
  laws.maximise(model, limits_, data_.rows());
  return model;
}

double mixture_em::penalty(const mixture_model& model) const {
  double sum = 0;
  for (const mixture_mode& mode : model.modes) {
    double size = 0;
    for (std::size_t j = 1; j < mode.law.size(); ++j) size += mode.law[j] * mode.law[j];
    sum += limits_.ridge * static_cast<double>(data_.rows()) * size / (2 * mode.noise * mode.noise);
    sum -= limits_.pseudo_rows * std::log(mode.weight);
    for (const auto& shares : mode.share)
      for (const double share : shares) sum -= limits_.pseudo_rows * std::log(share);
  }
  return sum;
}

double mixture_em::improve_densities(mixture_model& model) const {
  const mixture_coefficients with(model);
  density_sums sums(data_, static_cast<Eigen::Index>(model.modes.size()));
  double likelihood = 0;
  detail::for_each_block(data_, [&](const mixture_block& block) {
    Eigen::ArrayXXd shares = with.of_features(block) + with.of_times(with.residuals(block));
    likelihood += detail::share_out(shares).sum();
    sums.add(block, shares);
  });
  likelihood -= penalty(model);
  sums.maximise(model, limits_);
  return likelihood;
}

double mixture_em::improve_laws(mixture_model& model) const {
  const mixture_coefficients with(model);
  law_sums sums(data_, static_cast<Eigen::Index>(model.modes.size()));
  double likelihood = 0;
  detail::for_each_block(data_, [&](const mixture_block& block) {
    const Eigen::ArrayXXd residuals = with.residuals(block);
    Eigen::ArrayXXd shares = with.of_features(block) + with.of_times(residuals);
    likelihood += detail::share_out(shares).sum();
    sums.add(block, shares, shares * detail::trust(residuals));
  });
  likelihood -= penalty(model);
  sums.maximise(model, limits_, data_.rows());
  return likelihood;
}

mixture_model mixture_em::improved(mixture_model model, std::vector<double>* path) const {
  double before = 0;
  // Stops with the model of the last round. A likelihood of NaN ends it, since it cannot show a gain.
  for (int round = 0; round < limits_.most_rounds; ++round) {
    const double likelihood = improve_densities(model);
    const double between = improve_laws(model);
    if (path) path->insert(path->end(), {likelihood, between});
    if (round > 0 && !(likelihood - before >= limits_.least_gain * static_cast<double>(data_.rows()))) break;
    before = likelihood;
  }
  measure(model);
  return model;
}

void mixture_em::measure(mixture_model& model) const {
  const mixture_coefficients with(model);
  double together = 0, of_features = 0;
  detail::for_each_block(data_, [&](const mixture_block& block) {
    Eigen::ArrayXXd densities = with.of_features(block);
    Eigen::ArrayXXd with_times = densities + with.of_times(with.residuals(block));
    of_features += detail::share_out(densities).sum();
    together += detail::share_out(with_times).sum();
  });
  model.time_log_likelihood = together - of_features;
  model.log_likelihood = together - penalty(model);
}

}  // namespace weir

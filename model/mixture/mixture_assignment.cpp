#include "model/mixture/mixture_assignment.hpp"

#include <cmath>

#include "model/mixture/mixture_block.hpp"

namespace weir {

mixture_assignment assign(const mixture_data& data, const mixture_model& model) {
  mixture_assignment result;
  result.mode.reserve(data.rows());
  result.density.reserve(data.rows());
  result.residual.reserve(data.rows());
  const detail::mixture_coefficients with(model);
  detail::for_each_block(data, [&](const detail::mixture_block& block) {
    const Eigen::ArrayXXd residuals = with.residuals(block);
    const Eigen::ArrayXXd densities = with.of_features(block) + with.of_times(residuals);
    for (Eigen::Index r = 0; r < densities.rows(); ++r) {
      Eigen::Index k = 0;
      const double most = densities.row(r).maxCoeff(&k);
      result.mode.push_back(static_cast<std::uint8_t>(k));
      result.density.push_back(static_cast<float>(most - std::log(model.modes[static_cast<std::size_t>(k)].weight)));
      result.residual.push_back(static_cast<float>(residuals(r, k)));
    }
  });
  return result;
}

}  // namespace weir

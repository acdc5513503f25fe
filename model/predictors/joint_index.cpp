#include "model/predictors/joint_index.hpp"

#include <algorithm>
#include <cmath>

namespace weir {

double joint_index::product_of(const predictor_values& of) const {
  double log_x = constant;
  for (int j = 0; j < numbers_used; ++j) {
    const number& n = numbers[j];
    const double low = std::log(n.least), high = std::log(n.largest);
    const double z = std::log(std::max<double>(of[n.predictor], n.least));
    const double away = std::min(z, high) - (low + high) / 2;
    log_x += n.slope * z + n.bend * away * away;
  }
  return log_x;
}

double joint_index::sum_of(const predictor_values& of) const {
  std::array<double, most_numbers> u{};
  double x = constant;
  for (int j = 0; j < numbers_used; ++j) {
    const number& n = numbers[j];
    u[j] = std::max<double>(of[n.predictor], 0) / n.largest;
    const double root = std::sqrt(u[j]);
    x += n.terms[0] * root + u[j] * (n.terms[1] + n.terms[2] * root + u[j] * (n.terms[3] + u[j] * n.terms[4]));
    for (int i = 0; i < j; ++i) x += pairs[i][j] * u[i] * u[j];
  }
  return x;
}

double joint_index::at(const predictor_values& of) const {
  if (form == combination::none) return 1;
  if (form == combination::one) return of[numbers[0].predictor];
  double log_factor = form == combination::product ? product_of(of) : 0;
  for (int i = 0; i < levels_used; ++i)
    if (levels[i].value == of[levels[i].predictor]) log_factor += levels[i].log_factor;
  constexpr double most = 60;
  const double factor = std::exp(std::clamp(log_factor, -most, most));
  return form == combination::product ? factor : factor * sum_of(of);
}

bool joint_index::uses_number(int predictor) const {
  return std::any_of(numbers.begin(), numbers.begin() + numbers_used,
                     [&](const number& n) { return n.predictor == predictor; });
}
bool joint_index::uses_levels(int predictor) const {
  return std::any_of(levels.begin(), levels.begin() + levels_used,
                     [&](const level& l) { return l.predictor == predictor; });
}

}  // namespace weir

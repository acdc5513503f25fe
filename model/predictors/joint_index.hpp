#pragma once

#include <array>
#include <cstdint>

#include <weir/model/predictor_form.hpp>

namespace weir {

// The values of a component's predictors, in their order. Places without a predictor have 0.
using predictor_values = std::array<float, most_predictors>;

// Makes one x of several predictors: the single index of the component's cost (Ichimura, J. Econometrics 58, 1993). A
// law of x and p is then fitted as for one predictor. x estimates the microseconds on one core:
//
//   none      x = 1
//   one       x = v, the only number that counts, as it is
//   product   x = scale * prod_j v_j^slope_j exp(bend_j (log v_j - middle_j)^2) * prod of levels
//   sum       x = (c_0 + sum_j sum_e c_je u_j^e + sum_jk c_jk u_j u_k) * prod of levels,  u = v / largest, c >= 0
//
// A kind has a level for each value; one that was never seen has the level 1. Plain data; const calls may run
// concurrently.
class joint_index {
 public:
  enum class combination { none, one, product, sum };
  static constexpr int most_numbers = 4, most_levels = 64;
  static constexpr std::array powers{0.5, 1.0, 1.5, 2.0, 3.0};

  struct number {
    int predictor = 0;
    double least = 1, largest = 1;              // positive values seen; smaller ones count as the least
    double slope = 1, bend = 0;                 // of a product
    std::array<double, powers.size()> terms{};  // of a sum
  };
  struct level {
    int predictor = 0;
    float value = 0;
    float log_factor = 0;
  };

  double at(const predictor_values& of) const;
  // Whether x depends on this predictor, and by levels.
  bool uses(int predictor) const { return uses_number(predictor) || uses_levels(predictor); }
  bool uses_number(int predictor) const;
  bool uses_levels(int predictor) const;

  combination form = combination::none;
  double constant = 1;  // log scale of a product, c_0 of a sum
  int numbers_used = 0, levels_used = 0;
  std::array<number, most_numbers> numbers{};
  std::array<std::array<double, most_numbers>, most_numbers> pairs{};  // c_jk, j < k
  std::array<level, most_levels> levels{};
  double explained = 0;  // the share of the variance of log times, at equal cores, that x explains

 private:
  double product_of(const predictor_values& of) const;  // its logarithm
  double sum_of(const predictor_values& of) const;
};

}  // namespace weir

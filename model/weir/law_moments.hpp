#pragma once

#include <array>

#include "model/law/component_law.hpp"
#include "model/law/power_sums.hpp"
#include "model/least_squares/non_negative.hpp"

namespace weir {

// The sums over one slot's observations that a law's fit and its uncertainty need, where P = Tseq(x).
struct slot_moments {
  double share;                                              // h(p)
  double further;                                            // p - 1
  double square;                                             // sum w P^2
  double product;                                            // sum w P t
  std::array<double, component_law::max_degree + 1> powers;  // sum w P u^i, i = 0..k
};

inline slot_moments moments_of(const power_sums::slot& slot, const component_law& law) {
  slot_moments out{law.share(slot.inverse_cores), 1 / slot.inverse_cores - 1, 0, 0, {}};
  for (int i = 0; i <= law.highest(); i += law.step) {
    for (int j = 0; j <= law.highest(); j += law.step) out.powers[i] += law.c[j] * slot.s[i + j];
    out.square += law.c[i] * out.powers[i];
    out.product += law.c[i] * slot.b[i];
  }
  return out;
}

// The squares of a law's times over one slot's observations, and their products with the times seen.
struct slot_times {
  double square = 0;   // sum w T^2
  double product = 0;  // sum w T t
};

inline slot_times times_of(const power_sums::slot& slot, const component_law& law) {
  std::array<double, component_law::max_degree + 1> at{};  // T = sum at_i u^i
  for (int i = 0; i <= law.highest(); i += law.step) at[i] = law.c[i] * law.share_of(i, slot.inverse_cores);
  at[0] += law.fork_join * (1 / slot.inverse_cores - 1);
  slot_times out;
  for (int i = 0; i <= law.highest(); i += law.step) {
    double row = 0;
    for (int j = 0; j <= law.highest(); j += law.step) row += at[j] * slot.s[i + j];
    out.square += at[i] * row;
    out.product += at[i] * slot.b[i];
  }
  return out;
}

// The normal equations of the law's columns c_i for its curve h, over everything seen:
//
//   G_ij = sum_p h(p)^2 S_{i+j},   b_i = sum_p h(p) B_i.
//
// Unknown number a is c_i with i = a step.
// With `fork_join`, d is the last unknown; its column is p - 1.
inline normal_equations equations_of(const power_sums& sums, const component_law& law, bool fork_join) {
  std::array<double, 2 * component_law::max_degree + 1> powers{};  // of u^(m step)
  const int columns = law.columns(), step = law.step, d = columns;
  normal_equations out(fork_join ? columns + 1 : columns);
  for (int index = 0; index < sums.slots(); ++index) {
    const auto slot = sums.at(index);
    const double share = law.share(slot.inverse_cores);
    for (int m = 0; m <= 2 * (columns - 1); ++m) powers[m] += share * share * slot.s[m * step];
    for (int i = 0; i < columns; ++i) out.right[i] += share * slot.b[i * step];
    if (!fork_join) continue;
    const double further = 1 / slot.inverse_cores - 1;
    for (int i = 0; i < columns; ++i) out.gram[i][d] += further * share * slot.s[i * step];
    out.gram[d][d] += further * further * slot.s[0];
    out.right[d] += further * slot.b[0];
  }
  for (int i = 0; i < columns; ++i)
    for (int j = 0; j < columns; ++j) out.gram[i][j] = powers[i + j];
  if (fork_join)
    for (int i = 0; i < columns; ++i) out.gram[d][i] = out.gram[i][d];
  return out;
}

}  // namespace weir

#pragma once

#include <array>

#include "model/law/power_sums.hpp"
#include "model/law/rank_one_law.hpp"
#include "model/least_squares/non_negative.hpp"

namespace weir {

// The sums over one slot's observations that a law's fit and its uncertainty need, where P = Tseq(x).
struct slot_moments {
  double share;                                             // h(p)
  double further;                                           // p - 1
  double square;                                            // sum w P^2
  double product;                                           // sum w P t
  std::array<double, rank_one_law::max_degree + 1> powers;  // sum w P u^i, i = 0..k
};

inline slot_moments moments_of(const power_sums::slot& slot, const rank_one_law& law) {
  slot_moments out{law.share(slot.inverse_cores), 1 / slot.inverse_cores - 1, 0, 0, {}};
  for (int i = 0; i <= law.degree; ++i) {
    for (int j = 0; j <= law.degree; ++j) out.powers[i] += law.c[j] * slot.s[i + j];
    out.square += law.c[i] * out.powers[i];
    out.product += law.c[i] * slot.b[i];
  }
  return out;
}

// The normal equations of c_0 .. c_k for the law's curve h, over everything seen:
//
//   G_ij = sum_p h(p)^2 S_{i+j},   b_i = sum_p h(p) B_i.
//
// With `fork_join`, d is the last unknown; its column is p - 1.
inline normal_equations equations_of(const power_sums& sums, const rank_one_law& law, bool fork_join) {
  std::array<double, 2 * rank_one_law::max_degree + 1> powers{};
  const int k = law.degree, d = k + 1;
  normal_equations out{.size = fork_join ? k + 2 : k + 1};
  for (int index = 0; index < sums.slots(); ++index) {
    const auto slot = sums.at(index);
    const double share = law.share(slot.inverse_cores);
    for (int m = 0; m <= 2 * k; ++m) powers[m] += share * share * slot.s[m];
    for (int i = 0; i <= k; ++i) out.right[i] += share * slot.b[i];
    if (!fork_join) continue;
    const double further = 1 / slot.inverse_cores - 1;
    for (int i = 0; i <= k; ++i) out.gram[i][d] += further * share * slot.s[i];
    out.gram[d][d] += further * further * slot.s[0];
    out.right[d] += further * slot.b[0];
  }
  for (int i = 0; i <= k; ++i)
    for (int j = 0; j <= k; ++j) out.gram[i][j] = powers[i + j];
  if (fork_join)
    for (int i = 0; i <= k; ++i) out.gram[d][i] = out.gram[i][d];
  return out;
}

}  // namespace weir

#pragma once

#include <cstdint>
#include <vector>

#include "model/mixture/mixture.hpp"

namespace weir {

// How a mixture is fitted. Floors and penalties keep a mode that is at home in one point, or explains its rows exactly,
// from being infinitely likely.
struct mixture_limits {
  // Of the deviation of a feature in a mode, in units of that over all rows. Numbers of cores and queues are whole:
  // with less, a mode for each of their values would pay whatever the times are.
  double least_deviation = 0.1;
  double least_noise = 0.01;  // of a law, in units of the deviation of all times: no clock repeats itself better
  double ridge = 1e-6;        // of a law, times the rows: enough to solve for columns that are constant in a mode
  double pseudo_rows = 0.5;   // added to each level of a discrete column and to each mode (Jeffreys' prior)

  int most_rounds = 100;
  double least_gain = 1e-4;  // in log likelihood a row: a round that gains less is the last
};

// Expectation and maximisation (Dempster, Laird & Rubin 1977), the maximisation in two halves with an expectation
// between them: weights and densities, then responsibilities anew, then laws by weighted least squares and their noise,
// a row's weight being its share in the mode times what Student's noise trusts it. So the laws are fitted to the modes
// as they are, not as they were (S. Treichler's extra step; a multicycle ECM in the words of X.-L. Meng & D. Rubin,
// Biometrika 80, 1993).
//
// What never falls, but for rounding, from one half to the next: log likelihood less the penalties
//   sum_k ridge n |law_k without its constant|^2 / (2 noise_k^2)   and   - pseudo_rows sum log(share or weight),
// as each half maximises its part of the same bound, the floors being part of what it may choose from. The time's log
// likelihood given the features alone may fall.
class mixture_em {
 public:
  // REQUIRES: `data` outlives it; see mixture_data.
  mixture_em(const mixture_data& data, const mixture_limits& limits) : data_(data), limits_(limits) {}

  // A model from rows that are sorted into modes already, each below `modes`. A mode without rows is left out.
  mixture_model from_labels(const std::vector<std::uint8_t>& labels, int modes) const;

  // Rounds until one gains too little, `limits.most_rounds` at most. `path`, where given, gets the penalised log
  // likelihood before every half.
  mixture_model improved(mixture_model model, std::vector<double>* path = nullptr) const;

  // Sets both log likelihoods to those of the model on these data.
  void measure(mixture_model& model) const;

 private:
  double penalty(const mixture_model& model) const;
  double improve_densities(mixture_model& model) const;  // both give the log likelihood of what they were given
  double improve_laws(mixture_model& model) const;

  const mixture_data& data_;
  const mixture_limits limits_;
};

}  // namespace weir

#pragma once

#include <cstdint>
#include <vector>

#include "model/mixture/mixture.hpp"

namespace weir {

// The limits of a fit. A mode could have only one point, or explain its rows exactly; floors and penalties keep it from
// being infinitely likely.
struct mixture_limits {
  // The least deviation of a feature in a mode, relative to its deviation over all rows. Numbers of cores and queue
  // lengths are whole: with a lower limit each of their values would get a mode, whatever the times are.
  double least_deviation = 0.1;
  double least_noise = 0.01;  // of a law, relative to the deviation of all times: no clock repeats better
  double ridge = 1e-6;        // of a law, times the rows: enough where a column is constant in a mode
  double pseudo_rows = 0.5;   // added to each level of a discrete column and to each mode (Jeffreys' prior)

  int most_rounds = 100;
  double least_gain = 1e-4;  // in log likelihood per row: a round that gains less is the last
};

// Expectation maximisation for a mixture (Dempster, Laird & Rubin 1977). The maximisation has two halves with an
// expectation between them. The first half fits weights and densities. Then responsibilities are computed anew. The
// second half fits laws and their noise by weighted least squares. A row's weight there is its share in the mode times
// the weight that Student's noise gives it. So the laws are fitted to the new modes and not to the old ones. This is S.
// Treichler's extra step, and a multicycle ECM in the words of X.-L. Meng & D. Rubin, Biometrika 80, 1993.
//
// The log likelihood less two penalties never falls from one half to the next, except for rounding. The penalties are
//
//   sum_k ridge n |law_k without its constant|^2 / (2 noise_k^2)   and   - pseudo_rows sum log(share or weight).
//
// Each half maximises its part of the same bound, where the floors restrict its choice. The time's log likelihood given
// the features alone may fall.
class mixture_em {
 public:
  // REQUIRES: `data` outlives it; see mixture_data.
  mixture_em(const mixture_data& data, const mixture_limits& limits) : data_(data), limits_(limits) {}

  // Makes a model from rows that are already sorted into modes; each label is below `modes`. A mode without rows is
  // left out.
  mixture_model from_labels(const std::vector<std::uint8_t>& labels, int modes) const;

  // Runs rounds until one gains too little, or `limits.most_rounds` are done. If `path` is given, it gets the penalised
  // log likelihood before every half.
  mixture_model improved(mixture_model model, std::vector<double>* path = nullptr) const;

  // Sets both log likelihoods to those of the model on these data.
  void measure(mixture_model& model) const;

 private:
  double penalty(const mixture_model& model) const;
  double improve_densities(mixture_model& model) const;  // both return the log likelihood before the change
  double improve_laws(mixture_model& model) const;

  const mixture_data& data_;
  const mixture_limits limits_;
};

}  // namespace weir

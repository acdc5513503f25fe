#pragma once

#include <cstdint>
#include <vector>

#include "model/mixture/mixture.hpp"
#include "model/mixture/mixture_em.hpp"

namespace weir {

// How many modes to look for, and with how much effort. Plain data.
struct mixture_search {
  int modes = 0;       // 0: the number at the knee of the gain
  int most_modes = 6;  // more would not be readable
  std::uint64_t seed = 1;

  // Short runs come before a long one (C. Biernacki, G. Celeux & G. Govaert, Computational Statistics & Data Analysis
  // 41, 2003). For each number of modes, `starts` are tried on a small sample for a few rounds each. The best of them
  // continue to convergence.
  int starts = 10;
  int start_rounds = 6;
  int kept_starts = 3;
  std::size_t start_rows = 2000;

  // The rows that the number of modes is chosen on. With more rows, `rounds_over_all` rounds over all follow.
  std::size_t rows = 10000;
  int rounds_over_all = 6;

  // The knee: a further mode pays only while the gain is below this share of the best gain of any number.
  double knee = 0.97;

  // Below this gain, in nats per row, there is one mode. A factor that explains a twenty-fifth of the variance gains a
  // fiftieth of a nat. That is also far above the chance gain of a thousand rows of noise.
  double least_gain = 0.02;
};

// A number of modes that was tried.
struct mixture_candidate {
  int modes = 1;
  double time_log_likelihood = 0;  // nats per row: of the time given the features
  double gain = 0;                 // nats per row over one mode, see fit_mixture()
};

struct mixture_fit {
  mixture_model model;                   // of all rows, the heaviest mode first
  mixture_model single;                  // one mode: one law for all rows
  std::vector<mixture_candidate> tried;  // by number of modes
};

// Fits a mixture with as many modes as the data justify. The same seed gives the same result.
//
// The gain of K modes counts only what they say about the *times*. Features fall into groups of their own, such as
// numbers of cores or requested sizes, which may not affect any time. Per row, the gain is
//
//   gain(K) = [log p_K(t | f) - log p_1(t | f) - (log q_K(r) - log q_1(r))] / n  -  penalty(K).
//
// Here q_K is a mixture of K of Student's densities of the residuals r alone, blind to the features. The penalty is
// BIC's, for the parameters that p_K adds to p_1 in excess of what q_K adds to q_1. Noise of any shape gains nothing,
// because q_K describes that shape as well. K is the smallest number with nearly all of the largest gain (`knee`), and
// 1 when that gain is small.
//
// REQUIRES: as mixture_data.
mixture_fit fit_mixture(const mixture_data& data, const mixture_search& search);

}  // namespace weir

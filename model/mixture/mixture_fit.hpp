#pragma once

#include <cstdint>
#include <vector>

#include "model/mixture/mixture.hpp"
#include "model/mixture/mixture_em.hpp"

namespace weir {

// How many modes, and how hard to look for them.
struct mixture_search {
  int modes = 0;       // 0: as many as pay, at the knee
  int most_modes = 6;  // a person does not read more
  std::uint64_t seed = 1;

  // Starts for each number of modes on a small sample, a few rounds each; the best of them go on to convergence (short
  // runs before a long one: C. Biernacki, G. Celeux & G. Govaert, Computational Statistics & Data Analysis 41, 2003).
  int starts = 10;
  int start_rounds = 6;
  int kept_starts = 3;
  std::size_t start_rows = 2000;

  // What the number is chosen on, and how many rounds over everything follow where there are more rows.
  std::size_t rows = 10000;
  int rounds_over_all = 6;

  // A further mode pays only while something is missing to this share of the best gain of any number: the knee.
  double knee = 0.97;

  // Below this gain, in nats a row, there is one mode. A fiftieth of a nat is what a factor brings that explains a
  // twenty-fifth of the variance; it is also far above what a thousand rows of noise bring by chance.
  double least_gain = 0.02;
};

// A number of modes that was tried.
struct mixture_candidate {
  int modes = 1;
  double time_log_likelihood = 0;  // nats a row: of the time given the features
  double gain = 0;                 // nats a row over one mode, see fit_mixture()
};

struct mixture_fit {
  mixture_model model;                   // of all rows, the heaviest mode first
  mixture_model single;                  // one mode: one law for all rows
  std::vector<mixture_candidate> tried;  // by number of modes
};

// The mixture of as many modes as the data are worth. The same for the same seed.
//
// What a number K of modes gains is what it says of the *times*, since features fall into groups of their own (numbers
// of cores, sizes asked for) that no time has to care about:
//
//   gain(K) = [log p_K(t | f) - log p_1(t | f) - (log q_K(r) - log q_1(r))] / n  -  BIC's penalty of what p_K has more
//
// where q_K is a mixture of K of Student's densities of the residuals r alone, blind to the features. So noise of
// whatever shape gains nothing: what only describes the shape of the noise, q_K describes as well. K is the smallest
// number with nearly all of the largest gain (`knee`), and 1 when that is small.
//
// REQUIRES: as mixture_data.
mixture_fit fit_mixture(const mixture_data& data, const mixture_search& search);

}  // namespace weir

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir {

// Invocations as a mixture of modes sees them: columns of features and the time of each. Plain data; floats, since
// there may be millions of rows.
//
// REQUIRES, of whoever fits: as many rows in every column, at least one; all finite; levels below `levels`. Continuous
// columns and the time have mean 0 and standard deviation 1 to within a factor of two: floors and distances count in
// these units.
struct mixture_data {
  struct discrete_column {
    std::vector<std::uint8_t> level;  // of each row
    int levels = 2;
    bool in_law = true;  // as indicators, beside its densities; not where its levels determine other columns
  };

  std::vector<std::vector<float>> continuous;
  std::vector<discrete_column> discrete;
  std::vector<float> time;  // or its logarithm

  std::size_t rows() const { return time.size(); }
  int law_columns() const;      // 1, the continuous columns, and indicators of the levels in laws but the first
  int density_columns() const;  // 1, the continuous columns, their squares, and an indicator of each level

  // These rows alone, in this order.
  mixture_data taken(const std::vector<std::size_t>& chosen) const;
};

// A way in which a component behaves: where in the space of features it is at home, and a linear law of the time there.
struct mixture_mode {
  double weight = 1;                       // share of the rows
  std::vector<double> mean, deviation;     // of each continuous column
  std::vector<std::vector<double>> share;  // of each discrete column the share of each level
  std::vector<double> law;                 // coefficients of the law's columns, in the order of law_columns()
  std::vector<double> law_error;           // their standard errors
  double noise = 1;                        // scale of the time about the law
};

// A mixture of linear submodels: the density of a row is the sum over modes of
//
//   weight * prod_f Normal(f; mean_f, deviation_f) * prod_d share_d[level] * Student(time; law, noise)
//
// with diagonal covariance in the continuous features (S. Treichler's analysis of task runtimes; mixtures of experts
// with such gates are those of L. Xu, M. Jordan & G. Hinton, NIPS 1994). The noise has Student's distribution with four
// degrees of freedom in place of a normal one (K. Lange, R. Little & J. Taylor, JASA 84, 1989): invocations that the
// system held up are in every run, and a law must neither bend towards them nor take a mode for them.
struct mixture_model {
  static constexpr double freedom = 4;

  std::vector<mixture_mode> modes;
  double log_likelihood = 0;       // of features and times, less the penalties of mixture_em.hpp
  double time_log_likelihood = 0;  // of the times given the features: log p(f, t) - log p(f), summed over the rows

  // Free numbers in a model of so many modes.
  static int parameters(const mixture_data& data, int modes);
};

}  // namespace weir

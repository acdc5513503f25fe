#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir {

// Invocations in the form that a mixture of modes is fitted to: columns of features, and the time of each row. Plain
// data; floats, since there may be millions of rows.
//
// REQUIRES, for a fit: all columns have the same number of rows, at least one. All numbers are finite, and every level
// is below `levels`. Continuous columns and the time have mean 0 and standard deviation 1 to within a factor of two,
// since floors and distances count in these units.
struct mixture_data {
  struct discrete_column {
    std::vector<std::uint8_t> level;  // of each row
    int levels = 2;
    bool in_law = true;  // also as indicators in laws; not where its levels determine other columns
  };

  std::vector<std::vector<float>> continuous;
  std::vector<discrete_column> discrete;
  std::vector<float> time;  // or its logarithm

  std::size_t rows() const { return time.size(); }
  int law_columns() const;      // 1, the continuous columns, and an indicator of each level in laws but the first
  int density_columns() const;  // 1, the continuous columns, their squares, and an indicator of each level

  // A copy with only these rows, in this order.
  mixture_data taken(const std::vector<std::size_t>& chosen) const;
};

// One mode of a component's behaviour: the region of features where it occurs, and a linear law of the time there.
struct mixture_mode {
  double weight = 1;                       // share of the rows
  std::vector<double> mean, deviation;     // of each continuous column
  std::vector<std::vector<double>> share;  // for each discrete column, the share of each level
  std::vector<double> law;                 // coefficients of the law's columns, in the order of law_columns()
  std::vector<double> law_error;           // their standard errors
  double noise = 1;                        // scale of the time about the law
};

// A mixture of linear submodels, with diagonal covariance in the continuous features. The density of a row is the sum
// over modes of
//
//   weight * prod_f Normal(f; mean_f, deviation_f) * prod_d share_d[level] * Student(time; law, noise).
//
// The model follows S. Treichler's analysis of task runtimes. Mixtures of experts with such gates are those of L. Xu,
// M. Jordan & G. Hinton, NIPS 1994. The noise has Student's distribution with four degrees of freedom instead of a
// normal one (K. Lange, R. Little & J. Taylor, JASA 84, 1989). Every run has invocations that the system delayed. A law
// must not bend towards them, and they must not become a mode.
struct mixture_model {
  static constexpr double freedom = 4;

  std::vector<mixture_mode> modes;
  double log_likelihood = 0;       // of features and times, less the penalties of mixture_em.hpp
  double time_log_likelihood = 0;  // of the times given the features: log p(f, t) - log p(f), summed over the rows

  // The number of free parameters of a model with `modes` modes.
  static int parameters(const mixture_data& data, int modes);
};

}  // namespace weir

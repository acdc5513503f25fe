#pragma once

#include <algorithm>
#include <array>

namespace weir {

// The normal equations G c = b of a least squares problem with at most 18 unknowns. Plain data. Only the first `size`
// rows and columns of `gram` and `right` are used. `gram` is symmetric and positive semidefinite.
struct normal_equations {
  static constexpr int max_size = 18;
  int size;
  std::array<std::array<double, max_size>, max_size> gram;
  std::array<double, max_size> right;

  // All zeros. REQUIRES: 0 <= unknowns <= max_size.
  explicit normal_equations(int unknowns) : size(unknowns) {
    for (int i = 0; i < size; ++i) std::fill_n(gram[i].begin(), size, 0.0);
    std::fill_n(right.begin(), size, 0.0);
  }
};

// Solves argmin over c >= 0 of c'Gc - 2b'c, by active sets on columns scaled to unit length (Lawson & Hanson, "Solving
// Least Squares Problems", chapter 23). No inverse is formed.
//
// Columns of zeros are left out with c = 0, and so are columns that cannot be told from those already taken. Where
// several columns would serve equally well, the last is taken. Never allocates; any thread may call it.
//
// `guess` says where the search begins: bit i is set when column i is expected to be positive, as in the solution of a
// similar problem. It affects only the time taken, and which of several equally good columns is found.
std::array<double, normal_equations::max_size> solve_non_negative(const normal_equations& problem, unsigned guess = 0);

}  // namespace weir

#pragma once

#include <array>

namespace weir {

// The normal equations G c = b of a least squares problem with at most 10 unknowns. Plain data; of `gram` and `right`
// the first `size` rows and columns count, and gram is symmetric and positive semidefinite.
struct normal_equations {
  static constexpr int max_size = 10;
  int size = 0;
  std::array<std::array<double, max_size>, max_size> gram{};
  std::array<double, max_size> right{};
};

// argmin over c >= 0 of c'Gc - 2b'c, by active sets (Lawson & Hanson, "Solving Least Squares Problems", chapter 23) on
// columns scaled to unit length. No inverse is formed.
//
// Columns that cannot be told from those already taken are left out with c = 0, as are columns of zeros. Of columns
// that would serve equally well the last is taken. Never allocates; any thread may call it.
//
// `guess` is where the search begins: bit i set when column i is expected to be positive, as in a solution of a similar
// problem. It changes nothing but the time taken, and which of columns that serve equally well is found.
std::array<double, normal_equations::max_size> solve_non_negative(const normal_equations& problem, unsigned guess = 0);

}  // namespace weir

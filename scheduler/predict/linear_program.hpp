#pragma once

#include <cstddef>
#include <vector>

namespace weir {

// Rows a . x <= limit over variables x >= 0, the first of which is to be maximised. Plain data.
struct linear_program {
  struct row {
    std::vector<double> factors;  // as many as there are variables
    double limit = 0;             // 0 or more, so that x = 0 always holds
  };
  std::size_t variables = 0;
  std::vector<row> rows;
};

// Finds the x with the largest x[0]. It uses the simplex method on a table with Bland's rule (New finite pivoting rules
// for the simplex method, Math. of Operations Research 2, 1977). It is meant for tens of rows: the numbers in a table
// are rows times (rows + variables).
//
// In exact arithmetic it always ends, but rounding can undo that. So it ends after 100 pivots for each row and
// variable, with an x that satisfies all rows but may not be the largest. If a number is not finite, or becomes so, x
// is 0 throughout, which also satisfies all rows. REQUIRES: limits are not negative and x[0] is bounded.
std::vector<double> solution_of(const linear_program& program);

}  // namespace weir

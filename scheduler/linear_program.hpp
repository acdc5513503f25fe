#pragma once

#include <cstddef>
#include <vector>

namespace weir {

// Rows a . x <= limit over variables x >= 0, of which the first is to be as large as can be. Plain data.
struct linear_program {
  struct row {
    std::vector<double> factors;  // as many as there are variables
    double limit = 0;             // 0 or more, so that x = 0 always holds
  };
  std::size_t variables = 0;
  std::vector<row> rows;
};

// The x with the largest x[0]: the simplex method on a table, with Bland's rule (New finite pivoting rules for the
// simplex method, Math. of Operations Research 2, 1977), which always ends. For tens of rows: a table is rows times
// (rows + variables). REQUIRES: limits are not negative and x[0] is bounded.
std::vector<double> solution_of(const linear_program& program);

}  // namespace weir

#include "scheduler/predict/linear_program.hpp"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

constexpr double zero = 1e-11;            // rounding of 0, where factors are about 1
constexpr std::size_t most_pivots = 100;  // for each row and variable; usually there are a few in all

bool are_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

std::vector<double> solution_of(const linear_program& program) {
  const std::size_t n = program.variables, m = program.rows.size(), width = n + m + 1;
  const std::vector<double> nothing(n, 0.0);
  for (const linear_program::row& row : program.rows)
    if (!are_finite(row.factors) || !std::isfinite(row.limit)) return nothing;
  std::vector<std::vector<double>> table(m + 1, std::vector<double>(width, 0.0));
  std::vector<std::size_t> basis(m);
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t c = 0; c < n; ++c) table[r][c] = program.rows[r].factors[c];
    table[r][n + r] = 1;
    table[r][width - 1] = program.rows[r].limit;
    basis[r] = n + r;
  }
  table[m][0] = -1;  // the last row: the gain of x[0] by each variable, negated
  for (std::size_t pivots = 0; pivots < most_pivots * (n + m); ++pivots) {
    std::size_t enters = 0;
    while (enters + 1 < width && !(table[m][enters] < -zero)) ++enters;
    if (enters + 1 == width) break;
    std::size_t leaves = m;
    for (std::size_t r = 0; r < m; ++r) {
      if (!(table[r][enters] > zero)) continue;
      if (leaves == m) {
        leaves = r;
        continue;
      }
      const double here = table[r][width - 1] * table[leaves][enters],
                   best = table[leaves][width - 1] * table[r][enters];
      if (here < best || (here == best && basis[r] < basis[leaves])) leaves = r;
    }
    if (leaves == m) break;  // unbounded, which REQUIRES excludes
    const double pivot = table[leaves][enters];
    for (double& value : table[leaves]) value /= pivot;
    for (std::size_t r = 0; r <= m; ++r) {
      const double factor = table[r][enters];
      if (r == leaves || factor == 0) continue;
      for (std::size_t c = 0; c < width; ++c) table[r][c] -= factor * table[leaves][c];
    }
    basis[leaves] = enters;
  }
  std::vector<double> x = nothing;
  for (std::size_t r = 0; r < m; ++r)
    if (basis[r] < n) x[basis[r]] = table[r][width - 1];
  return are_finite(x) ? x : nothing;
}

}  // namespace weir

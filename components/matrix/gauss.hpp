#pragma once

#include <optional>
#include <vector>

#include "components/matrix/matrix.hpp"

namespace components {

// Gauss elimination with partial pivoting (G. H. Golub, C. F. Van Loan, Matrix Computations, section 3.4): the solution
// of a x = b for a dense square a. Both functions may be called from any thread, and by many at the same time; the
// parallel one runs on the caller's task arena.
//
// Cost: N^3 / 3 multiplications and subtractions. Predictor N, degree 3. Sixteen columns at a time are eliminated on
// the calling thread; then the cores share the columns to their right. So there are N / 16 forks and joins instead of
// N. The calling thread alone does these 16 columns (4 N^2 steps in all), the substitution, and the last columns, where
// the work is less than a fork and join costs. So the parallel share is below 1 - 12 / N, and differs with N.
//
// Each entry is changed once for each pivot, in their order and without fused multiply-add, and the pivot is the first
// entry of the largest magnitude. So both functions give the same bits, on any number of cores.
//
// Both return nothing if a is singular, that is, if all remaining rows have zero in the next column. In rounded
// arithmetic a singular matrix may leave a tiny pivot instead of zero. The result then solves a system within rounding
// of the given one, as for any other matrix. Entries that are not finite give solutions that are not finite.
//
// Both throw std::invalid_argument, naming the shapes, if a is not square or b has not as many entries as a has rows.
std::optional<std::vector<double>> solve_gauss(const matrix& a, const std::vector<double>& b);

// The textbook loops on the calling thread: the reference for solve_gauss.
std::optional<std::vector<double>> solve_gauss_sequential(matrix a, std::vector<double> b);

}  // namespace components

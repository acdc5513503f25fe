#pragma once

#include <optional>
#include <vector>

#include "components/matrix/matrix.hpp"

namespace components {

// Gauss elimination with partial pivoting (G. H. Golub, C. F. Van Loan, Matrix Computations, section 3.4): the solution
// of a x = b for a dense square a. Both functions may be called from any thread and many at once; the parallel one runs
// on the task arena of the caller.
//
// Cost: N^3 / 3 multiplications and subtractions. Predictor N, degree 3. Sixteen columns at a time are eliminated on
// the calling thread; then the cores share the columns to the right of them: N / 16 forks and joins instead of N. What
// stays on the calling thread is the 16 columns, 4 N^2 steps in all, the substitution, and the last columns, where
// there is less to do than a fork and join costs. So the parallel share is below 1 - 12 / N, and not the same for all
// N.
//
// Each entry is changed once for each pivot, in their order and without fused multiply-add, and the pivot is the
// first of the largest magnitude: both give the same bits, on any number of cores.
//
// Nothing when a is singular: when no row is left that has anything but zeros in the next column. In rounded arithmetic
// a singular matrix may leave a tiny pivot instead of zero, and then what is returned solves a system within rounding
// of that given, as for any other matrix. Entries that are not finite give solutions that are not.
//
// Throw std::invalid_argument, naming the shapes, when a is not square or b has not as many entries as a has rows.
std::optional<std::vector<double>> solve_gauss(const matrix& a, const std::vector<double>& b);

// The textbook loops on the calling thread: the reference the other is held to.
std::optional<std::vector<double>> solve_gauss_sequential(matrix a, std::vector<double> b);

}  // namespace components

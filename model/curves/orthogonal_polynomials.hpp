#pragma once

#include <array>
#include <span>
#include <vector>

namespace weir {

// A polynomial fitted by weighted least squares in a basis of polynomials p_j that are orthogonal over the points. It
// is the kind "poly": R's lm(y ~ poly(x, k)). The basis is made by a three-term recurrence (G. E. Forsythe, "Generation
// and use of orthogonal polynomials for data-fitting with a digital computer", J. SIAM 5, 1957):
//
//   p_0 = 1,  p_{j+1} = (u - a_j) p_j - b_j p_{j-1},
//   a_j = <u p_j, p_j> / <p_j, p_j>,  b_j = <p_j, p_j> / <p_{j-1}, p_{j-1}>.
//
// No equations are solved: each coefficient is a quotient. Plain data of fixed size; const calls may run concurrently.
struct orthogonal_polynomials {
  static constexpr int max_degree = 10;

  int degree = 0;
  std::array<double, max_degree> a{}, b{};
  std::array<double, max_degree + 1> norms{};  // <p_j, p_j>
  std::array<double, max_degree + 1> c{};      // coefficients of p_j

  double operator()(double u) const;

  // How much a point of weight w at u contributes to its own fitted value, in [0, 1].
  double leverage(double u, double w) const;

  // The same polynomial as coefficients of u^i, i = 0..degree.
  std::vector<double> coefficients() const;
};

// Fits one. The degree is lowered where the points do not determine it, which shows when p_j vanishes on all points.
// Never allocates. REQUIRES: 1 to 256 points; spans of equal size; weights > 0; 0 <= degree <= max_degree.
orthogonal_polynomials fit_orthogonal_polynomials(std::span<const double> u, std::span<const double> y,
                                                  std::span<const double> weights, int degree);

}  // namespace weir

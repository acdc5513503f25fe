#pragma once

#include <cstdint>

#include "components/matrix/freivalds.hpp"
#include "components/matrix/matrix.hpp"
#include "components/matrix/multiply.hpp"

namespace weir::program {

// The matrices of all workloads that multiply them.

// One of size x size that no other number has under this seed: an odd multiplier keeps them distinct, modulo 2^64.
inline components::matrix matrix_of(std::int64_t size, std::uint64_t seed, std::uint64_t number) {
  return components::random_matrix(size, seed + 0x9e3779b97f4a7c15u * (number + 1));
}

inline components::matrix squared(const components::matrix& m) { return components::multiply_naive(m, m); }

inline constexpr int freivalds_vectors = 2;  // one finds a wrong entry; two find 3 of 4 rows with cancelling errors

// Freivalds' check of a square, with these vectors.
inline bool is_square_of(const components::matrix& m, const components::matrix& square, std::uint64_t seed) {
  return components::is_product(m, m, square, freivalds_vectors, seed);
}

}  // namespace weir::program

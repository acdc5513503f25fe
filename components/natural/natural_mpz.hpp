#pragma once

#include <gmpxx.h>

#include <cstdint>

#include "components/natural/natural.hpp"

namespace components {

// Conversions between natural and GMP's mpz_class, for sources that calculate with GMP. to_natural REQUIRES value >= 0.

inline mpz_class to_mpz(const natural& value) {
  mpz_class result;
  mpz_import(result.get_mpz_t(), value.size(), -1, sizeof(std::uint64_t), 0, 0, value.limbs().data());
  return result;
}

inline natural to_natural(const mpz_class& value) {
  std::vector<std::uint64_t> limbs((mpz_sizeinbase(value.get_mpz_t(), 2) + 63) / 64);
  mpz_export(limbs.data(), nullptr, -1, sizeof(std::uint64_t), 0, 0, value.get_mpz_t());
  return natural(std::move(limbs));
}

}  // namespace components

#include "components/matrix/matrix.hpp"

#include <random>
#include <stdexcept>

namespace components {

std::string shape(const matrix& m) { return std::to_string(m.rows()) + "x" + std::to_string(m.cols()); }

matrix random_matrix(std::int64_t n, std::uint64_t seed) {
  if (n < 0) throw std::invalid_argument("random_matrix: a size of " + std::to_string(n) + " is negative");
  const auto size = static_cast<std::size_t>(n);
  matrix result(size, size);
  std::mt19937_64 generator(seed);
  for (double* entry = result.data(); entry != result.data() + size * size; ++entry) {
    *entry = static_cast<double>(generator() >> 11) * 0x1p-53;
  }
  return result;
}

}  // namespace components

#include "bench/measurements/interference/kernels.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace weir::program {
namespace {

// Results end here, so that no compiler leaves the work out.
void keep(double value) {
  volatile double kept = value;
  (void)kept;
}

// a = b + 3 c, a piece of the arrays each time, one after the other.
std::function<void()> triad(std::size_t bytes, std::size_t piece, int passes) {
  struct arrays {
    std::vector<double> a, b, c;
    std::size_t at = 0;
  };
  const std::size_t size = bytes / (3 * sizeof(double)) / piece * piece;
  const auto of = std::make_shared<arrays>(
      arrays{std::vector<double>(size, 0.0), std::vector<double>(size, 1.0), std::vector<double>(size, 2.0)});
  return [of, piece, passes] {
    for (int pass = 0; pass < passes; ++pass) {
      const std::size_t from = of->at;
      for (std::size_t i = from; i < from + piece; ++i) of->a[i] = of->b[i] + 3 * of->c[i];
      of->at = (from + piece) % of->a.size();
      keep(of->a[from]);
    }
  };
}

// Sums numbers at random places. The places do not depend on what was read, so several are under way.
std::function<void()> gather(std::size_t bytes) {
  struct table {
    std::vector<double> values;
    std::uint64_t state = 1;
  };
  const auto of = std::make_shared<table>(table{std::vector<double>(bytes / sizeof(double), 1.0)});
  return [of] {
    double sum = 0;
    for (int k = 0; k < 1 << 16; ++k) {
      of->state = of->state * 6364136223846793005u + 1442695040888963407u;
      sum += of->values[(of->state >> 32) % of->values.size()];
    }
    keep(sum);
  };
}

std::function<void()> compute() {
  return [] {
    double x = 0.5, y = 0.25;
    for (int k = 0; k < 1 << 18; ++k) x = x * 0.999999 + 1e-6, y = y * 0.999998 + 2e-6;
    keep(x + y);
  };
}

}  // namespace

std::function<void()> make_kernel(std::size_t which, std::size_t bytes) {
  constexpr std::size_t half_megabyte = std::size_t{1} << 19, piece = std::size_t{1} << 14;
  switch (which) {
    case 0:
      return triad(bytes, piece, 8);
    case 1:
      return gather(bytes);
    case 2:
      return triad(half_megabyte, piece, 64);
    default:
      return compute();
  }
}

}  // namespace weir::program

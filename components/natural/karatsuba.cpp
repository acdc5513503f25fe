#include "components/natural/karatsuba.hpp"

#include <gmp.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "components/for_ranges.hpp"

namespace components {
namespace {

using limb = mp_limb_t;
static_assert(std::is_same_v<limb, std::uint64_t>, "GMP's limbs are those of natural");

constexpr std::size_t schoolbook = 32;  // limbs; between 20 and 96 the times differ by 3 %
constexpr std::size_t alone = 256;      // limbs: 13 us; starting tasks from 128 limbs on costs 3 %, from 64 on 6 %

// How a number of n limbs is cut: the low half has `low` limbs, the high half as many or one less.
struct halves {
  explicit halves(std::size_t n) : low(n - n / 2), high(n / 2) {}
  std::size_t low, high;
};

// r = |a0 - a1| of the halves of a, with `low` limbs. Returns true if a1 is the larger.
bool difference(limb* r, const limb* a, halves n) {
  const limb* const high = a + n.low;
  if (n.low > n.high) {
    r[n.high] = 0;
    if (a[n.high] != 0) {
      mpn_sub(r, a, n.low, high, n.high);
      return false;
    }
  }
  if (mpn_cmp(a, high, n.high) >= 0) {
    mpn_sub_n(r, a, high, n.high);
    return false;
  }
  mpn_sub_n(r, high, a, n.high);
  return true;
}

// REQUIRES: out holds a0 b0 followed by a1 b1. Adds the middle part; `sum` is a buffer for 2 low + 1 limbs.
void add_middle(limb* out, const limb* product_of_differences, bool negative, limb* sum, halves n) {
  const std::size_t length = 2 * n.low;
  sum[length] = mpn_add(sum, out, length, out + length, 2 * n.high);
  if (negative) {
    sum[length] += mpn_add_n(sum, sum, product_of_differences, length);
  } else {
    sum[length] -= mpn_sub_n(sum, sum, product_of_differences, length);
  }
  mpn_add(out + n.low, out + n.low, n.low + 2 * n.high, sum, length + 1);
}

// How many limbs of `scratch` multiply_alone needs.
std::size_t scratch_size(std::size_t n) {
  if (n < schoolbook) return 0;
  const std::size_t low = halves(n).low;
  return 2 * low + std::max(2 * low + 1, scratch_size(low));
}

// out[0..2n) = a[0..n) * b[0..n), on the calling thread.
void multiply_alone(limb* out, const limb* a, const limb* b, std::size_t size, limb* scratch) {
  if (size < schoolbook) return mpn_mul_n(out, a, b, size);
  const halves n(size);
  limb* const middle = scratch;
  limb* const rest = scratch + 2 * n.low;
  const bool negative = difference(out, a, n) != difference(out + n.low, b, n);
  multiply_alone(middle, out, out + n.low, n.low, rest);
  multiply_alone(out, a, b, n.low, rest);
  multiply_alone(out + 2 * n.low, a + n.low, b + n.low, n.high, rest);
  add_middle(out, middle, negative, rest, n);
}

// The same, in parallel on the cores of the arena.
void multiply_shared(limb* out, const limb* a, const limb* b, std::size_t size) {
  if (size < alone) {
    const auto scratch = std::make_unique_for_overwrite<limb[]>(scratch_size(size));
    return multiply_alone(out, a, b, size, scratch.get());
  }
  const halves n(size);
  const auto own = std::make_unique_for_overwrite<limb[]>(6 * n.low + 1);
  limb* const middle = own.get();
  limb* const differences = middle + 2 * n.low;
  limb* const sum = differences + 2 * n.low;
  const bool negative = difference(differences, a, n) != difference(differences + n.low, b, n);
  tbb::parallel_invoke([=] { multiply_shared(middle, differences, differences + n.low, n.low); },
                       [=] { multiply_shared(out, a, b, n.low); },
                       [=] { multiply_shared(out + 2 * n.low, a + n.low, b + n.low, n.high); });
  add_middle(out, middle, negative, sum, n);
}

// out[0..n + m) = a[0..n) * b[0..m). REQUIRES: n >= m >= 1.
void multiply_any(limb* out, const limb* a, std::size_t n, const limb* b, std::size_t m) {
  if (n == m) return multiply_shared(out, a, b, n);
  if (m < schoolbook) {
    mpn_mul(out, a, n, b, m);
    return;
  }
  const std::size_t pieces = (n + m - 1) / m;
  const auto products = std::make_unique_for_overwrite<limb[]>(2 * m * pieces);
  for_ranges(pieces, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i != end; ++i) {
      multiply_any(&products[2 * m * i], b, m, a + m * i, std::min(m, n - m * i));
    }
  });
  mpn_copyi(out, products.get(), 2 * m);
  for (std::size_t i = 1; i != pieces; ++i) {
    const std::size_t length = std::min(m, n - m * i);  // of the piece; its product has m more
    const limb* const product = &products[2 * m * i];
    mpn_copyi(out + m * i + m, product + m, length);
    // The limbs above the m overlapping ones take the carry.
    if (mpn_add_n(out + m * i, out + m * i, product, m) != 0) mpn_add_1(out + m * i + m, out + m * i + m, length, 1);
  }
}

template <typename Multiply>
natural product(const natural& a, const natural& b, const Multiply& multiply) {
  const natural& longer = a.size() >= b.size() ? a : b;
  const natural& shorter = a.size() >= b.size() ? b : a;
  if (shorter.size() == 0) return {};
  std::vector<limb> out(a.size() + b.size());
  multiply(out.data(), longer.limbs().data(), longer.size(), shorter.limbs().data(), shorter.size());
  return natural(std::move(out));
}

}  // namespace

natural multiply_karatsuba(const natural& a, const natural& b) { return product(a, b, multiply_any); }

natural multiply_sequential(const natural& a, const natural& b) { return product(a, b, mpn_mul); }

}  // namespace components

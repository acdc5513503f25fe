#include "components/natural/rabin_miller.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "components/for_ranges.hpp"
#include "components/natural/natural_mpz.hpp"

namespace components {
namespace {

// An odd n >= 5, with n - 1 = odd * 2^twos.
class candidate {
 public:
  explicit candidate(const natural& n) : n_(to_mpz(n)), bits_(n.bits()), minus_one_(n_ - 1) {
    twos_ = mpz_scan1(minus_one_.get_mpz_t(), 0);
    odd_ = minus_one_ >> twos_;
  }

  bool is_composite_by(const mpz_class& base) const {
    mpz_class power;
    mpz_powm(power.get_mpz_t(), base.get_mpz_t(), odd_.get_mpz_t(), n_.get_mpz_t());
    if (power == 1 || power == minus_one_) return false;
    for (mp_bitcnt_t i = 1; i < twos_; ++i) {
      power = power * power % n_;
      if (power == minus_one_) return false;
    }
    return true;
  }

  // Uniform in [2, n - 2].
  mpz_class draw_base(std::mt19937_64& generator) const {
    std::vector<std::uint64_t> limbs((bits_ + 63) / 64);
    for (;;) {
      for (std::uint64_t& limb : limbs) limb = generator();
      limbs.back() &= ~std::uint64_t{0} >> (64 * limbs.size() - bits_);
      if (mpz_class base = to_mpz(natural(limbs)); base >= 2 && base < minus_one_) return base;
    }
  }

 private:
  mpz_class n_;
  std::size_t bits_;
  mpz_class minus_one_;
  mpz_class odd_;
  mp_bitcnt_t twos_ = 0;
};

std::optional<primality> known_at_once(const natural& n, int rounds) {
  if (rounds < 1) throw std::invalid_argument("rabin_miller: " + std::to_string(rounds) + " rounds test nothing");
  const std::uint64_t lowest = n.size() == 0 ? 0 : n.limbs().front();
  if (n.size() <= 1 && lowest < 4) return primality{lowest >= 2, 0};
  if (lowest % 2 == 0) return primality{false, 0};
  return std::nullopt;
}

}  // namespace

primality rabin_miller(const natural& n, int rounds, std::uint64_t seed) {
  if (const auto known = known_at_once(n, rounds)) return *known;
  const candidate tested(n);
  const auto cores = static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency()));
  std::mt19937_64 generator(seed);
  for (std::size_t done = 0; done < static_cast<std::size_t>(rounds);) {
    std::vector<mpz_class> bases(std::min(cores, static_cast<std::size_t>(rounds) - done));
    for (mpz_class& base : bases) base = tested.draw_base(generator);
    std::vector<char> witness(bases.size());  // not of bool: the rounds write concurrently
    for_ranges(bases.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i != end; ++i) witness[i] = tested.is_composite_by(bases[i]);
    });
    const auto first = std::find(witness.begin(), witness.end(), char{true});
    done += static_cast<std::size_t>(first - witness.begin());
    if (first != witness.end()) return {false, static_cast<int>(done + 1)};
  }
  return {true, rounds};
}

primality rabin_miller_sequential(const natural& n, int rounds, std::uint64_t seed) {
  if (const auto known = known_at_once(n, rounds)) return *known;
  const candidate tested(n);
  std::mt19937_64 generator(seed);
  for (int round = 1; round <= rounds; ++round) {
    if (tested.is_composite_by(tested.draw_base(generator))) return {false, round};
  }
  return {true, rounds};
}

}  // namespace components

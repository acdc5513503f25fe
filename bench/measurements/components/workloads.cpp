#include "bench/measurements/components/workloads.hpp"

#include <cstddef>
#include <memory>
#include <optional>

#include "components/matrix/freivalds.hpp"
#include "components/matrix/gauss.hpp"
#include "components/matrix/multiply.hpp"
#include "components/natural/karatsuba.hpp"
#include "components/natural/rabin_miller.hpp"
#include "components/natural/random_natural.hpp"

namespace weir::component_costs {
namespace {

// A workload from a computation and the check of its answer.
template <typename Compute, typename Check>
workload make(std::string component, std::int64_t x, Compute compute, Check check) {
  const auto answer = std::make_shared<std::optional<decltype(compute())>>();
  return {std::move(component), static_cast<double>(x), [=] { *answer = compute(); },
          [=] { return answer->has_value() && check(**answer); }};
}

using multiplication = components::matrix (*)(const components::matrix&, const components::matrix&);

workload matrix_product(std::string component, multiplication multiply, std::int64_t n, std::uint64_t seed) {
  const auto a = std::make_shared<const components::matrix>(components::random_matrix(n, seed));
  const auto b = std::make_shared<const components::matrix>(components::random_matrix(n, seed + 1));
  return make(
      std::move(component), n, [=] { return multiply(*a, *b); },
      [=](const components::matrix& c) { return components::is_product(*a, *b, c, 2, seed); });
}

workload gauss(std::int64_t n, std::uint64_t seed) {
  const auto a = std::make_shared<const components::matrix>(components::random_matrix(n, seed));
  const components::matrix drawn = components::random_matrix(n, seed + 1);
  const std::vector<double> b(drawn.data(), drawn.data() + n);
  const auto expected = components::solve_gauss_sequential(*a, b);
  return make(
      "gauss", n, [=] { return components::solve_gauss(*a, b); },
      [=](const std::optional<std::vector<double>>& x) { return x && x == expected; });
}

workload rabin_miller(std::int64_t bits, std::uint64_t seed) {
  const components::natural prime = components::random_prime(bits, seed);
  return make(
      "rabin-miller", bits, [=] { return components::rabin_miller(prime, rabin_miller_rounds, seed); },
      [](const components::primality& p) {
        return p == components::primality{true, rabin_miller_rounds};
      });
}

workload karatsuba(std::int64_t limbs, std::uint64_t seed) {
  const components::natural a = components::random_natural(64 * limbs, seed);
  const components::natural b = components::random_natural(64 * limbs, seed + 1);
  return make(
      "karatsuba", limbs, [=] { return components::multiply_karatsuba(a, b); },
      [=, expected = components::multiply_sequential(a, b)](const components::natural& c) { return c == expected; });
}

}  // namespace

// The sizes take from about ten microseconds to some tens of milliseconds on one core.
std::vector<workload> make_workloads(std::uint64_t seed) {
  std::vector<workload> all;
  for (std::int64_t n = 50; n <= 600; n += 50) {
    all.push_back(matrix_product("naive", components::multiply_naive, n, seed));
    all.push_back(matrix_product("blocked32", components::multiply_blocked<32>, n, seed));
  }
  for (std::int64_t n = 50; n <= 700; n += 50) all.push_back(gauss(n, seed));
  for (std::int64_t bits = 128; bits <= 2048; bits += 128) all.push_back(rabin_miller(bits, seed));
  for (std::int64_t limbs = 1000; limbs <= 15000; limbs += 1000) all.push_back(karatsuba(limbs, seed));
  return all;
}

}  // namespace weir::component_costs

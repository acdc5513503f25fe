#include "components/matrix/multiply_openmp.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "components/matrix/multiply.hpp"
#include "tests/support/refusal.hpp"

namespace components {
namespace {

// Sizes near multiples of the team's size, and more threads than rows or cores.
TEST(multiply_openmp, gives_the_bits_of_the_reference_on_any_number_of_threads) {
  for (const int threads : {1, 2, 3, 8})
    for (const std::int64_t n : {1, 2, 3, 7, 33, 64, 100}) {
      const matrix a = random_matrix(n, 1), b = random_matrix(n, 2);
      EXPECT_TRUE(multiply_openmp(a, b, threads) == multiply_sequential(a, b)) << n << " on " << threads;
    }
}

TEST(multiply_openmp, of_rectangles_and_of_nothing) {
  matrix a(3, 5), b(5, 2);
  for (int i = 0; i < 15; ++i) a.data()[i] = i;
  for (int i = 0; i < 10; ++i) b.data()[i] = 1 - i;
  EXPECT_TRUE(multiply_openmp(a, b, 2) == multiply_sequential(a, b));
  EXPECT_EQ(multiply_openmp(matrix(0, 3), matrix(3, 2), 2), matrix(0, 2));
  EXPECT_EQ(multiply_openmp(matrix(2, 0), matrix(0, 3), 2), matrix(2, 3));
}

TEST(multiply_openmp, may_be_called_by_many_threads_at_once) {
  const matrix a = random_matrix(60, 3), expected = multiply_sequential(a, a);
  std::vector<matrix> products(4);
  std::vector<std::thread> callers;
  for (matrix& product : products) callers.emplace_back([&] { product = multiply_openmp(a, a, 2); });
  for (std::thread& caller : callers) caller.join();
  for (const matrix& product : products) EXPECT_TRUE(product == expected);
}

TEST(multiply_openmp, refuses_what_does_not_fit_and_names_it) {
  const auto message = [](const matrix& a, const matrix& b, int threads) {
    return weir::testing::refusal<std::invalid_argument>([&] { multiply_openmp(a, b, threads); });
  };
  EXPECT_NE(message(matrix(3, 4), matrix(5, 6), 1).find("3x4 times one of 5x6"), std::string::npos);
  EXPECT_NE(message(matrix(2, 2), matrix(2, 2), 0).find("0 threads"), std::string::npos);
}

}  // namespace
}  // namespace components

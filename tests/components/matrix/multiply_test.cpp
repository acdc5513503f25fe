#include "components/matrix/multiply.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "components/matrix/matrix.hpp"
#include "tests/support/refusal.hpp"

namespace components {
namespace {

matrix random_rectangle(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  const std::size_t n = std::max(rows, cols);
  const matrix square = random_matrix(static_cast<std::int64_t>(n), seed);
  matrix result(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) result(i, j) = square(i, j) - 0.5;
  }
  return result;
}

// Every kernel adds in the order of the reference, so its products are equal to the bit.
void expect_all_kernels_agree(const matrix& a, const matrix& b) {
  const matrix expected = multiply_sequential(a, b);
  EXPECT_TRUE(multiply_naive(a, b) == expected) << shape(a) << " by " << shape(b);
  EXPECT_TRUE(multiply_blocked<16>(a, b) == expected) << shape(a) << " by " << shape(b);
  EXPECT_TRUE(multiply_blocked<32>(a, b) == expected) << shape(a) << " by " << shape(b);
  EXPECT_TRUE(multiply_blocked<64>(a, b) == expected) << shape(a) << " by " << shape(b);
}

TEST(multiply, the_reference_is_the_product) {
  matrix a(2, 3);
  matrix b(3, 2);
  for (int i = 0; i < 6; ++i) {
    a.data()[i] = i + 1;
    b.data()[i] = i + 7;
  }
  matrix expected(2, 2);
  expected(0, 0) = 58;
  expected(0, 1) = 64;
  expected(1, 0) = 139;
  expected(1, 1) = 154;
  EXPECT_EQ(multiply_sequential(a, b), expected);
}

TEST(multiply, every_kernel_agrees_at_every_size_up_to_70) {
  for (std::int64_t n = 1; n <= 70; ++n) {
    expect_all_kernels_agree(random_matrix(n, 2 * static_cast<std::uint64_t>(n)),
                             random_matrix(n, 2 * static_cast<std::uint64_t>(n) + 1));
  }
}

TEST(multiply, every_kernel_agrees_when_blocks_do_not_fit) {
  for (const std::int64_t n : {95, 127, 128, 129, 191, 200}) {
    expect_all_kernels_agree(random_matrix(n, 1), random_matrix(n, 2));
  }
}

TEST(multiply, every_kernel_agrees_on_rectangles) {
  for (const std::size_t rows : {1, 17, 64, 100}) {
    for (const std::size_t inner : {1, 16, 33, 130}) {
      for (const std::size_t cols : {1, 15, 65}) {
        expect_all_kernels_agree(random_rectangle(rows, inner, 1), random_rectangle(inner, cols, 2));
      }
    }
  }
}

// The result does not depend on the number of threads, even if there are more than cores.
TEST(multiply, every_kernel_agrees_in_arenas_of_any_size) {
  for (const int cores : {1, 2, 3, 8}) {
    tbb::task_arena arena(cores);
    arena.execute([] { expect_all_kernels_agree(random_matrix(50, 5), random_matrix(50, 6)); });
  }
}

TEST(multiply, of_nothing_is_nothing_or_zero) {
  expect_all_kernels_agree(matrix(0, 0), matrix(0, 0));
  expect_all_kernels_agree(matrix(0, 3), matrix(3, 2));
  EXPECT_EQ(multiply_naive(matrix(2, 0), matrix(0, 3)), matrix(2, 3));
  EXPECT_EQ(multiply_blocked<16>(matrix(2, 0), matrix(0, 3)), matrix(2, 3));
}

TEST(multiply, refuses_shapes_that_do_not_fit_and_names_both) {
  using kernel = matrix (*)(const matrix&, const matrix&);
  for (const kernel multiply : {kernel{multiply_sequential}, kernel{multiply_naive}, kernel{multiply_blocked<16>},
                                kernel{multiply_blocked<32>}, kernel{multiply_blocked<64>}}) {
    const std::string why =
        weir::testing::refusal<std::invalid_argument>([&] { multiply(matrix(3, 4), matrix(5, 6)); });
    EXPECT_NE(why.find("3x4"), std::string::npos) << why;
    EXPECT_NE(why.find("5x6"), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace components

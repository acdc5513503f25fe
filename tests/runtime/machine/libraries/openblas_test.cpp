#include <cblas.h>

#include <vector>

#include <weir/openmp.hpp>

#include "tests/runtime/machine/libraries/library_threads.hpp"

// OpenBLAS in a box, in its two flavours: one has a pool of threads of its own, one uses OpenMP. This file is compiled
// for each. Its settings last, so each case begins by setting the whole machine, its own assumption.
namespace weir {
namespace {

using namespace testing;

library_threads threads;  // made before main, when only the library's threads exist

bool uses_openmp() { return openblas_get_parallel() == OPENBLAS_OPENMP; }

// Large enough for threads; wrong in each sum that a part is missing from.
void multiply() {
  constexpr int side = 300;
  const std::vector<double> left(side * side, 2), right(side * side, 3);
  std::vector<double> product(side * side);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, side, side, side, 1, left.data(), side, right.data(), side, 0,
              product.data(), side);
  EXPECT_EQ(product, std::vector<double>(side * side, 6.0 * side));
}

class openblas_in_a_box : public ::testing::Test {
 protected:
  void SetUp() override {
    WEIR_NEEDS_TWO_CORES();
    openblas_set_num_threads(machine::local().size());
  }

  box_use use(int cores, const std::function<void(const grant&)>& body) {
    return use_in_a_box(threads, cores, 5, body);
  }
};

TEST_F(openblas_in_a_box, is_of_the_flavour_that_this_program_is_for) {
  EXPECT_STREQ(uses_openmp() ? "openmp" : "pthread", WEIR_OPENBLAS_FLAVOUR);
}

// Otherwise the other cases would prove nothing. The threads of the pool were started before the run, so they are where
// they like; those of OpenMP were started by the invocation, and share its only core.
TEST_F(openblas_in_a_box, that_is_not_told_of_the_grant_uses_more_threads) {
  const box_use untold = use(1, [](const grant&) { multiply(); });
  EXPECT_EQ(untold.beyond, 5);
  EXPECT_EQ(untold.outside, uses_openmp() ? 0 : 5);
}

TEST_F(openblas_in_a_box, stays_within_its_grant_by_grant_openmp_in_the_flavour_of_openmp) {
  if (!uses_openmp()) GTEST_SKIP() << "the flavour with a pool knows nothing of OpenMP's limits";
  for (const int cores : {1, machine::local().size(), 1}) {
    const box_use told = use(cores, [](const grant& given) { given.openmp(multiply); });
    EXPECT_EQ(told.beyond, 0);
    EXPECT_EQ(told.outside, 0);
    EXPECT_EQ(told.most_threads, static_cast<std::size_t>(cores));
  }
}

// For one invocation at a time, since the number is the process's in the flavour with a pool.
TEST_F(openblas_in_a_box, stays_within_its_grant_when_it_is_told_the_number_before_each_call) {
  for (const int cores : {1, machine::local().size(), 1}) {
    const box_use told = use(cores, [](const grant& given) {
      openblas_set_num_threads(given.size());
      multiply();
    });
    EXPECT_EQ(told.beyond, 0);
    EXPECT_EQ(told.outside, 0);
    EXPECT_EQ(told.most_threads, static_cast<std::size_t>(cores));
  }
}

// In the flavour of OpenMP the number is the calling thread's, so main's setting has no effect in a box.
TEST_F(openblas_in_a_box, is_held_to_one_thread_by_main_in_the_flavour_with_a_pool_only) {
  openblas_set_num_threads(1);
  const box_use told = use(1, [](const grant&) { multiply(); });
  EXPECT_EQ(told.beyond, uses_openmp() ? 5 : 0);
  EXPECT_EQ(told.outside, 0);
}

}  // namespace
}  // namespace weir

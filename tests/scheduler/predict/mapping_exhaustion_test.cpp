#include <gtest/gtest.h>

#include "tests/scheduler/predict/every_mapping.hpp"

namespace weir::testing {
namespace {

// Like mapping_search_test for three components on three cores; these take seconds.
TEST(mapping_exhaustion, nothing_better_is_left_out_on_four_cores) {
  expect_nothing_better_left_out(20, 4, 4, 10'000'000);
}

}  // namespace
}  // namespace weir::testing

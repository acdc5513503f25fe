#include <gtest/gtest.h>

#include <weir/scheduler/predict/mapping_search.hpp>
#include "tests/scheduler/predict/every_mapping.hpp"
#include "tests/scheduler/predict/model_networks.hpp"

namespace weir::testing {
namespace {

// Like mapping_search_test for three components on three cores; these take seconds.
TEST(mapping_exhaustion, nothing_better_is_left_out_on_four_cores) {
  expect_nothing_better_left_out(20, 4, 4, 10'000'000);
}

// A mapping takes as long to look at as there are cores, so fewer are looked at on more cores. The exact search does
// not begin where the ways to place one component are too many to look at.
TEST(mapping_exhaustion, ends_after_fewer_mappings_on_more_cores) {
  network_model net;
  net.components = {costing_amdahl("a", 1, .99, 1024)};
  std::uint64_t promised = 0;
  const auto found = best_mappings(net, 1024, {}, [&](std::uint64_t, std::uint64_t at_most) { promised = at_most; });
  ASSERT_FALSE(found.best.empty());
  EXPECT_FALSE(found.complete);
  EXPECT_LE(promised, 230'000U * 64 / 1024 + 100);
  EXPECT_LE(found.steps, promised);
}

}  // namespace
}  // namespace weir::testing

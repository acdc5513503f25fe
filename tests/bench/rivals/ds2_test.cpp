#include "bench/rivals/ds2.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bench/rivals/measured_load.hpp"
#include "tests/scheduler/views.hpp"

namespace weir::rivals {
namespace {

using testing::amdahl;
using testing::cores_of;
using testing::truth;
using testing::view_of;

// A component that was observed to take `seconds` on `cores` cores.
component_view seen(const char* name, double visits, int cores, double seconds) {
  component_view c = testing::unobserved(name);
  c.visits = visits;
  c.recent = {{1, cores, seconds}};
  c.invocations = c.invocations_since_move = 1;
  return c;
}

TEST(ds2, gives_each_component_its_target_rate_over_the_true_rate_of_a_task) {
  // True rates of a task: 2.5, 20 and 2.5 records per second; target rates at 10 per second: 10, 20 and 5.
  system_view view = view_of(16, {seen("a", 1, 2, .2), seen("b", 2, 1, .05), seen("c", .5, 1, .4)});
  EXPECT_EQ(cores_of(ds2(10).decide(view)), (std::vector<int>{4, 1, 2}));
  EXPECT_EQ(cores_of(ds2(11).decide(view)), (std::vector<int>{5, 2, 3}));
  EXPECT_NEAR(ds2().assess(view, ds2(10).decide(view)).cost, .1, 1e-12);
}

TEST(ds2, at_a_saturated_source_takes_the_highest_rate_that_fits_and_no_core_more_than_that_needs) {
  system_view view = view_of(14, {seen("a", 1, 2, .2), seen("b", 2, 1, .05), seen("c", .5, 1, .4)});
  EXPECT_EQ(cores_of(ds2().decide(view)), (std::vector<int>{8, 2, 4})) << "20 records a second";
  EXPECT_EQ(cores_of(ds2(1000).decide(view)), (std::vector<int>{8, 2, 4})) << "more does not fit";
  view = view_of(15, view.components);
  EXPECT_EQ(cores_of(ds2().decide(view)), (std::vector<int>{8, 2, 4})) << "a fifteenth core raises nothing";
}

TEST(ds2, is_optimal_for_components_that_scale_linearly) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const auto load = [&] { return std::uniform_real_distribution<double>(.01, 1)(random); };
    const int cores = 3 + static_cast<int>(random() % 12);
    const system_view view =
        view_of(cores, {seen("a", 1, 1, load()), seen("b", 1, 1, load()), seen("c", 1, 1, load())});
    const std::vector<double> loads = measured_load(view);
    double least = 1e9;
    for (int a = 1; a <= cores - 2; ++a)
      for (int b = 1; a + b <= cores - 1; ++b)
        least = std::min(least, std::max({loads[0] / a, loads[1] / b, loads[2] / (cores - a - b)}));
    EXPECT_NEAR(ds2().assess(view, ds2().decide(view)).cost, least, 1e-12);
  }
}

TEST(ds2, takes_what_it_measured_at_one_parallelism_for_the_truth_at_all) {
  // Half of it is sequential. On 8 cores it needs 8 * 0.5625 core-seconds, which on 2 cores it would not.
  const truth half = amdahl(1, .5);
  const system_view view = view_of(16, {seen("a", 1, 8, half(1, 8)), seen("b", 1, 8, .1)});
  EXPECT_EQ(cores_of(ds2(1).decide(view)), (std::vector<int>{5, 1}));
}

TEST(ds2, with_more_components_than_cores_the_smallest_share_as_one) {
  const system_view view = view_of(
      3, {seen("a", 1, 1, 1), seen("b", 1, 1, .01), seen("c", 1, 1, .02), seen("d", 1, 1, .5), seen("e", 1, 1, .03)});
  EXPECT_EQ(to_string(ds2().decide(view), names_of(view)),
            "a 1 core x 1 lane {0}, d 1 core x 1 lane {1}, shared {2} (b, c, e)");
  system_view two = view_of(2, {seen("a", 1, 2, 1), seen("b", 1, 1, .01)});
  two.components[0].min_cores = 2;
  EXPECT_EQ(to_string(ds2().decide(two), names_of(two)), "a 2 cores x 2 lanes {0-1}, shared {0} (b)");
}

}  // namespace
}  // namespace weir::rivals

#include <gtest/gtest.h>

#include <cmath>

#include <weir/scheduler/policies/adaptive.hpp>
#include "scheduler/simulate/random_scenario.hpp"
#include "scheduler/simulate/simulated_run.hpp"

namespace weir::testing {
namespace {

using namespace simulation;

// A predictor without information about its record is worth as much as none; an informative one is worth more if phases
// differ in it. So models learn from the shown predictor and from nothing else. Measured: 0.885 of the clairvoyant for
// both, 0.988 for x itself. Between two sets of seeds the means differ by a hundredth.
TEST(predictor, shuffled_is_worth_as_much_as_constant_and_less_than_known) {
  using predictor = simulated_network::predictor;
  constexpr int seeds = 6;
  const auto mean = [&](predictor shown) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      workload w;
      w.cores = 16;
      sum += std::log(
          run(random_scenario(w, seed), seed, {adaptive{objective::throughput}, {}, "weir", shown}).throughput);
    }
    return sum / seeds;
  };
  const double known = mean(predictor::known), constant = mean(predictor::constant),
               shuffled = mean(predictor::shuffled);
  EXPECT_NEAR(shuffled, constant, 0.03);
  EXPECT_GT(known, constant + 0.03);
  EXPECT_GT(known, shuffled + 0.03);
}

}  // namespace
}  // namespace weir::testing

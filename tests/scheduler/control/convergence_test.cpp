#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "tests/scheduler/control/emulation.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using testing::emulation;

struct outcome {
  int runs = 0;
  double worst_at_30 = 0;  // excess over the best, after 30 records
  double worst_at_300 = 0;
  std::size_t most_moves_to_30 = 0, most_moves_after = 0;
  double equal_mean = 0;
};

// Runs of four to six components with Amdahl truths on 48 cores and noise of 2 to 5 %. Equal shares take at least 1.5
// times as long as the best.
outcome many_runs(int max_width, bool inputs_vary, int wanted) {
  outcome result;
  std::mt19937 random(11);
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  while (result.runs < wanted) {
    const int k = inputs_vary ? 2 : 0;
    std::vector<component_view> components;
    std::vector<testing::truth> truths;
    for (int i = 4 + static_cast<int>(random() % 3); i > 0; --i) {
      const double sequential = std::pow(10.0, real(-2.5, -0.5)), alpha = real(0.8, 0.999);
      truths.push_back([=](double x, int p) { return std::pow(x, k) * sequential * (alpha / p + 1 - alpha); });
      components.push_back(testing::component(testing::numbered("c", i), truths.back(), max_width));
    }
    const double noise = real(0.02, 0.05);
    const auto input = [=](std::mt19937& r) {
      return inputs_vary ? std::uniform_real_distribution<double>(1, 3)(r) : 1.0;
    };
    emulation run(testing::view_of(48, components), truths, noise, input, static_cast<unsigned>(random()),
                  [&] { return std::make_unique<testing::amdahl_learner>(k, noise); });
    run.run(1);
    const double equal = run.excess(equal_shares{}.decide(run.view()));
    if (equal < 1.5) continue;
    ++result.runs;
    result.equal_mean += equal / wanted;
    run.run(29);
    const std::size_t moves = run.decisions().size() - 1;
    result.worst_at_30 = std::max(result.worst_at_30, run.excess());
    run.run(270);
    result.worst_at_300 = std::max(result.worst_at_300, run.excess());
    result.most_moves_to_30 = std::max(result.most_moves_to_30, moves);
    result.most_moves_after = std::max(result.most_moves_after, run.decisions().size() - 1 - moves);
  }
  std::printf(
      "equal shares %.2f x the best on average; after 30 records at worst %.3f, after 300 %.3f; moves %zu, then %zu\n",
      result.equal_mean, result.worst_at_30, result.worst_at_300, result.most_moves_to_30, result.most_moves_after);
  return result;
}

TEST(convergence, at_width_one_it_is_within_a_tenth_of_the_best_in_30_records_and_stays) {
  const outcome seen = many_runs(1, false, testing::fewer(100));
  EXPECT_LE(seen.worst_at_30, 1.10);
  EXPECT_LE(seen.worst_at_300, 1.10);
  EXPECT_LE(seen.most_moves_to_30, 5u);
  EXPECT_LE(seen.most_moves_after, 4u);
}

TEST(convergence, with_free_width_too) {
  const outcome seen = many_runs(unlimited, false, testing::fewer(100));
  EXPECT_LE(seen.worst_at_30, 1.10);
  EXPECT_LE(seen.worst_at_300, 1.10);
  EXPECT_LE(seen.most_moves_to_30, 5u);
  EXPECT_LE(seen.most_moves_after, 4u);
}

TEST(convergence, with_inputs_that_vary_ninefold_in_cost_too) {
  const outcome seen = many_runs(1, true, testing::fewer(100));
  EXPECT_LE(seen.worst_at_30, 1.10);
  EXPECT_LE(seen.worst_at_300, 1.10);
  EXPECT_LE(seen.most_moves_to_30, 5u);
  EXPECT_LE(seen.most_moves_after, 4u);
}

// With free width both cores are shared from the start, which is the best as well.
TEST(convergence, on_two_cores_the_long_component_has_both_after_three_records) {
  for (int width : {1, unlimited}) {
    const std::vector<testing::truth> truths{testing::amdahl(1e-3, 0), testing::amdahl(50e-3, .96)};
    emulation run(
        testing::view_of(
            2, {testing::component("generate", truths[0], width), testing::component("multiply", truths[1], width)}),
        truths, 0.03, [](std::mt19937&) { return 1.0; }, 12,
        [] { return std::make_unique<testing::amdahl_learner>(0, 0.03); });
    run.run(3);
    EXPECT_EQ(
        to_string(run.view().current, names_of(run.view())),
        width == 1 ? "multiply 2 cores x 1 lane {0-1}, shared {0} (generate)" : "shared {0-1} (generate, multiply)");
    run.run(300);
    EXPECT_LE(run.excess(), 1.001);
    EXPECT_EQ(run.decisions().size(), width == 1 ? 2u : 1u) << "and it stays";
  }
}

// On eight cores it takes a while: the difference between two divisions is worth a few records only.
TEST(convergence, where_sharing_everything_is_best_it_gets_there) {
  std::vector<component_view> components;
  std::vector<testing::truth> truths;
  for (int i = 0; i < 6; ++i) {
    truths.push_back(testing::amdahl(1e-3 * (1 + i % 2), .5));
    components.push_back(testing::component(testing::numbered("c", i), truths.back(), 1));
  }
  for (int cores : {2, 4, 8}) {
    emulation run(
        testing::view_of(cores, components), truths, 0.03, [](std::mt19937&) { return 1.0; }, 13,
        [] { return std::make_unique<testing::amdahl_learner>(0, 0.03); });
    run.run(cores < 8 ? 60 : 300);
    EXPECT_LE(run.excess(), 1.05) << cores << ' ' << to_string(run.view().current, names_of(run.view()));
    EXPECT_LE(run.decisions().size(), 5u);
  }
}

}  // namespace
}  // namespace weir

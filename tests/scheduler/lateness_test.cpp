#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "emulation.hpp"
#include "model/estimator.hpp"
#include "scheduler/adaptive.hpp"
#include "scheduler/equal_shares.hpp"

namespace weir {
namespace {

using testing::emulation;

// A tenth of the invocations is late by 30 to 100 %, the more the rarer, as on a busy machine; the others are right
// within 2 %.
double late_now_and_then(std::mt19937& random) {
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const double usual = std::exp(std::normal_distribution<double>(0, 0.02)(random));
  return real(0, 1) < 0.1 ? usual * (1 + 0.3 / real(0.3, 1)) : usual;
}

struct component_truth {
  const char* name;
  double sequential, alpha;  // seconds at the mean x
};

struct outcome {
  int runs = 0;
  int within_a_tenth = 0;         // of the best, after 30 records
  double worst_at_30 = 0;         // true bottleneck over that of the best
  double worst_of_equal = 0;      // true bottleneck over that of equal shares, after 30 records
  double worst_ever = 0;          // the same at any time after the first move
  int beyond = 0;                 // runs in which that was more than 1.3
  std::size_t most_moves = 0;     // in 300 records
  double mean_at_30 = 0, mean_at_300 = 0, worst_at_300 = 0, mean_to_30 = 0;
};

// Runs of the estimator of a live run on 48 cores, where equal shares take 1.8 times as long as the best.
outcome many_runs(int k, bool inputs_vary, int max_width) {
  constexpr component_truth all[] = {
      {"decode", .15, .8}, {"transform", .25, .9}, {"solve", 1, .99}, {"encode", .2, .85}};
  outcome result{.runs = 200};
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::vector<component_view> components;
    std::vector<testing::truth> truths;
    for (const component_truth& c : all) {
      truths.push_back([=](double x, int p) { return std::pow(x / 100, k) * c.sequential * (c.alpha / p + 1 - c.alpha); });
      components.push_back(testing::component(c.name, truths.back(), max_width));
    }
    const auto input = [=](std::mt19937& r) {
      return inputs_vary ? std::uniform_real_distribution<double>(50, 150)(r) : 100.0;
    };
    emulation run(testing::view_of(48, components), truths, late_now_and_then, input, seed,
                  [=] { return make_estimator("weir", degree{k}); });
    const double equal = run.excess(equal_shares{}.decide(run.view()));
    double ever = 0;
    for (int record = 1; record <= 300; ++record) {
      run.run(1);
      const double now = run.excess();
      if (run.decisions().size() > 1) ever = std::max(ever, now / equal);
      if (record <= 30) result.mean_to_30 += now / 30 / 200;
      if (record != 30) continue;
      result.within_a_tenth += now <= 1.1;
      result.worst_at_30 = std::max(result.worst_at_30, now);
      result.worst_of_equal = std::max(result.worst_of_equal, now / equal);
      result.mean_at_30 += now / 200;
    }
    result.mean_at_300 += run.excess() / 200;
    result.worst_at_300 = std::max(result.worst_at_300, run.excess());
    result.worst_ever = std::max(result.worst_ever, ever);
    result.beyond += ever > 1.3;
    result.most_moves = std::max(result.most_moves, run.decisions().size() - 1);
  }
  std::printf("degree %d vary %d width %d: within a tenth %d/200, at 30 mean %.3f worst %.3f (%.2f of equal); to 30 mean %.3f; ever worst %.2f of equal (>1.3 in %d); at 300 mean %.3f worst %.3f; moves %zu\n",
    k, inputs_vary, max_width, result.within_a_tenth, result.mean_at_30, result.worst_at_30, result.worst_of_equal, result.mean_to_30, result.worst_ever, result.beyond, result.mean_at_300, result.worst_at_300, result.most_moves);
  return result;
}

TEST(lateness, x) {
  for (int k : {1, 2, 3})
    for (bool vary : {false, true})
      for (int width : {1, unlimited}) many_runs(k, vary, width);
}

}  // namespace
}  // namespace weir

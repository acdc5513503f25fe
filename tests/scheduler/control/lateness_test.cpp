#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <weir/model/estimator.hpp>
#include <weir/model/named/estimators.hpp>
#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "tests/scheduler/control/emulation.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using testing::emulation;

// A tenth of the invocations is late by 30 to 100 %, long delays being rarer, as on a busy machine. The others are
// right within 2 %.
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
  int within_a_tenth = 0;     // runs whose allotment after 30 records is within a tenth of the best
  double worst_at_30 = 0;     // true cost of a record relative to the best, after 30 records
  int runs_behind = 0;        // runs in which equal shares were better for a while, after the first move
  int longest_behind = 0;     // records, in one of them
  double worst_of_equal = 0;  // true cost relative to equal shares, at any time after the first move
};

constexpr int runs = testing::fewer(100);

// Runs with the estimator of a live run on 48 cores, one lane each. Equal shares take 1.8 times as long as the best.
// Costs grow as x^k.
outcome many_runs(int k, bool inputs_vary) {
  constexpr component_truth all[] = {
      {"decode", .15, .8}, {"transform", .25, .9}, {"solve", 1, .99}, {"encode", .2, .85}};
  std::vector<component_view> components;
  std::vector<testing::truth> truths;
  for (const component_truth& c : all) {
    truths.push_back([=](double x, int p) { return std::pow(x, k) * c.sequential * (c.alpha / p + 1 - c.alpha); });
    components.push_back(testing::component(c.name, truths.back(), 1));
  }
  const auto input = [=](std::mt19937& random) {
    return inputs_vary ? std::uniform_real_distribution<double>(.5, 1.5)(random) : 1.0;
  };
  outcome result;
  for (unsigned seed = 0; seed < runs; ++seed) {
    emulation run(testing::view_of(48, components), truths, late_now_and_then, input, seed,
                  [=] { return make_estimator("weir", degree{k}); });
    const double equal = run.excess(equal_shares{}.decide(run.view()));
    double now = equal;
    int behind = 0;
    for (int record = 0; record < 30; ++record) {
      run.run(1);
      now = run.excess();
      behind += now > (1 + 1e-9) * equal;
      result.worst_of_equal = std::max(result.worst_of_equal, now / equal);
    }
    result.runs_behind += behind > 0;
    result.longest_behind = std::max(result.longest_behind, behind);
    result.within_a_tenth += now <= 1.1;
    result.worst_at_30 = std::max(result.worst_at_30, now);
  }
  std::printf(
      "degree %d, inputs %s: %d of %d within a tenth, at worst %.3f; %d behind equal shares, for %d records at most, "
      "by %.3f\n",
      k, inputs_vary ? "vary" : "equal", result.within_a_tenth, runs, result.worst_at_30, result.runs_behind,
      result.longest_behind, result.worst_of_equal);
  return result;
}

// A late invocation among the first few of a component counts in its mean. So in few runs equal shares are better for a
// while, until more invocations were seen.
TEST(lateness, of_one_invocation_in_ten_does_not_keep_from_the_best_and_seldom_makes_it_worse_than_equal_shares) {
  for (const int k : {1, 2, 3})
    for (const bool inputs_vary : {false, true}) {
      const outcome seen = many_runs(k, inputs_vary);
      EXPECT_GE(seen.within_a_tenth, runs * 90 / 100) << "degree " << k;
      EXPECT_LE(seen.runs_behind, runs * 8 / 100) << "degree " << k;
      EXPECT_LE(seen.longest_behind, 10) << "degree " << k;
    }
}

}  // namespace
}  // namespace weir

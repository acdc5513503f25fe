#include "model/weir/repeats.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "model/weir/weir_estimator.hpp"
#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

// Observations of `keys` keys, each off a law of log T = 0 by a normal number of `miss`, with `noise`.
repeats learnt(int keys, int count, double miss, double noise, unsigned seed = 1) {
  chance random(seed);
  std::vector<double> off;
  for (int i = 0; i < keys; ++i) off.push_back(miss * random.normal());
  repeats out;
  for (int i = 0; i < count; ++i) {
    const int key = random.index(keys);
    out.add(key, 1, off[static_cast<std::size_t>(key)] + noise * random.normal(), 0);
  }
  return out;
}

TEST(repeats, learn_what_a_law_misses_where_keys_come_again) {
  const double miss = 0.3;
  const repeats table = learnt(20, 400, miss, 0.05);
  ASSERT_TRUE(table.is_known());
  chance random(1);
  for (int key = 0; key < 20; ++key) EXPECT_NEAR(table.log_factor(key, 1, 0), miss * random.normal(), 0.08) << key;
}

TEST(repeats, know_nothing_where_a_law_holds) {
  int known = 0;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const repeats table = learnt(20, 400, 0, 0.05, seed);
    known += table.is_known();
    for (int key = 0; key < 20; ++key) EXPECT_NEAR(table.log_factor(key, 1, 0), 0, 0.03);
  }
  EXPECT_LE(known, 10);
}

TEST(repeats, know_nothing_of_keys_that_they_never_saw) {
  const repeats table = learnt(20, 400, 0.3, 0.05);
  EXPECT_EQ(table.log_factor(20, 1, 0), 0);
  EXPECT_EQ(table.log_factor(3, 2, 0), 0);
}

// Keys that never come again pass by; those that do stay.
TEST(repeats, keep_keys_that_come_again_among_others_that_do_not) {
  repeats table;
  chance random(2);
  for (int i = 0; i < 4000; ++i) {
    const bool again = i % 2 == 0;
    table.add(again ? random.index(5) : 1000 + random.uniform(0, 1), 1, (again ? 0.5 : 0) + 0.01 * random.normal(), 0);
  }
  for (int key = 0; key < 5; ++key) EXPECT_NEAR(table.log_factor(key, 1, 0), 0.5, 0.02) << key;
}

TEST(repeats, numbers_that_cannot_be_theirs_are_refused) {
  const auto good = learnt(20, 400, 0.3, 0.05).numbers();
  repeats table;
  for (const std::size_t at : {0U, 2U, 3U, 4U}) {
    auto bad = good;
    bad[at] = -1;
    EXPECT_FALSE(table.assign(bad)) << at;
  }
  ASSERT_TRUE(table.assign(good));
  EXPECT_EQ(table.numbers(), good);
}

// Twelve sizes on one or two cores, each pair off the law by 5 %, with times that repeat to half a percent.
TEST(repeats, make_a_model_exact_where_the_world_repeats) {
  for (const degree k : {degree{3}, unknown_degree}) {
    chance random(3);
    std::array<double, 24> factor{};
    for (double& f : factor) f = random.noise(0.05);
    const auto truth = [&](int size, int p) {
      const double x = 100.0 * (size + 1);
      return 1e-9 * x * x * x * (0.95 / p + 0.05) * factor[static_cast<std::size_t>(2 * size + p - 1)];
    };
    weir_estimator model(k), again(k);
    for (int i = 0; i < 240; ++i) {
      const int size = random.index(12), p = 1 + random.index(2);
      model.observe(seen(100.0 * (size + 1), p, truth(size, p) * random.noise(0.005)));
    }
    ASSERT_TRUE(again.restore(model.state()));
    const auto fitted = model.clone();
    for (int size = 0; size < 12; ++size)
      for (int p = 1; p <= 2; ++p) {
        const double x = 100.0 * (size + 1), said = model.predict(x, p).mean;
        EXPECT_LT(relative_error(said, truth(size, p)), 0.01) << x << ", " << p;
        EXPECT_EQ(again.predict(x, p).mean, said);
        const std::array one{typical_input{x, 1}};
        EXPECT_NEAR(fitted->moments(one, p).mean, said, 1e-12 * said);
        EXPECT_FALSE(fitted->sums_over(one));  // a sum over x has no factors of pairs
      }
  }
}

// Twenty kinds of work, numbered in no order, on any number of cores.
TEST(repeats, x_may_be_the_number_of_a_kind) {
  chance random(4);
  std::array<double, 20> level{};
  for (double& l : level) l = std::exp(random.uniform(-2, 2));
  const auto truth = [&](int kind, int p) { return level[static_cast<std::size_t>(kind)] * (0.9 / p + 0.1); };
  weir_estimator model(unknown_degree);
  for (int i = 0; i < 1000; ++i) {
    const int kind = random.index(20), p = random.cores();
    model.observe(seen(kind + 1, p, truth(kind, p) * random.noise(0.05)));
  }
  std::vector<double> errors;
  for (int kind = 0; kind < 20; ++kind)
    for (const int p : {1, 4, 16}) errors.push_back(relative_error(model.predict(kind + 1, p).mean, truth(kind, p)));
  std::ranges::sort(errors);
  EXPECT_LT(errors[errors.size() / 2], 0.05);
  EXPECT_LT(errors[errors.size() * 9 / 10], 0.2);
}

}  // namespace
}  // namespace weir::test

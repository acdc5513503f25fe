#include "model/weir/interference_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/model/truth.hpp"

namespace weir::test {
namespace {

// Components with drawn pressures, and with curves of drawn heights that rise straight, ever faster or ever slower.
struct neighbours {
  std::vector<double> pressure, height, level;
  std::vector<int> shape;

  neighbours(int count, chance& random) {
    for (int i = 0; i < count; ++i) {
      pressure.push_back(random.uniform(0.2, 1));
      height.push_back(random.uniform(0.2, 1));
      level.push_back(random.uniform(0.8, 1.5));
      shape.push_back(random.index(3));
    }
  }
  int count() const { return static_cast<int>(pressure.size()); }
  double slowdown(int i, const std::vector<double>& running) const {
    double sum = 0;
    for (std::size_t j = 0; j < running.size(); ++j) sum += pressure[j] * running[j];
    const auto of = static_cast<std::size_t>(i);
    const double bent = shape[of] == 0 ? sum : shape[of] == 1 ? 0.5 * sum * sum : 2 * (1 - std::exp(-0.7 * sum));
    return 1 + height[of] * bent;
  }
};

// Each other component runs with probability 1/2, on up to one core. The component itself has no other invocation.
std::vector<double> random_running(int count, int of, chance& random) {
  std::vector<double> out(static_cast<std::size_t>(count), 0.0);
  for (int j = 0; j < count; ++j)
    if (j != of && random.uniform(0, 1) < 0.5) out[static_cast<std::size_t>(j)] = random.uniform(0, 1);
  return out;
}

interference_model learnt(const neighbours& truth, int observations, chance& random) {
  interference_model out(truth.count());
  for (int at = 0; at < observations; ++at)
    for (int i = 0; i < truth.count(); ++i) {
      const auto running = random_running(truth.count(), i, random);
      out.observe(i, truth.level[static_cast<std::size_t>(i)] * truth.slowdown(i, running) * random.noise(0.05),
                  running);
    }
  out.fit();
  return out;
}

// The model predicts the coupling, slowdown - 1, to 10 % at the median. It has 64 observations of each component, with
// 5 % of noise. The new sets are drawn as the observed ones were.
TEST(interference_model, predicts_the_coupling_of_new_sets) {
  for (int count = 2; count <= 8; ++count) {
    std::vector<double> of_coupling, of_time;
    for (unsigned seed = 1; seed <= 20; ++seed) {
      chance random(100 * static_cast<unsigned>(count) + seed);
      const neighbours truth(count, random);
      const interference_model model = learnt(truth, 64, random);
      for (int i = 0; i < count; ++i) {
        const auto running = random_running(count, i, random);
        const double real = truth.slowdown(i, running), said = model.slowdown(i, running);
        if (real < 1.05) continue;  // no more than noise
        of_coupling.push_back(std::abs(said - real) / (real - 1));
        of_time.push_back(std::abs(said - real) / real);
      }
    }
    std::ranges::sort(of_coupling);
    std::ranges::sort(of_time);
    EXPECT_LT(of_coupling[of_coupling.size() / 2], 0.1) << count;
    EXPECT_LT(of_time[of_time.size() / 2], 0.03) << count;
    EXPECT_LT(of_time[of_time.size() * 9 / 10], 0.1) << count;
  }
}

// At least 49 of 50 components that do not interfere keep a slowdown within 1 %.
TEST(interference_model, invents_no_coupling_where_there_is_none) {
  int invented = 0, asked = 0;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    chance random(seed);
    neighbours truth(2 + random.index(7), random);
    std::ranges::fill(truth.height, 0);
    const interference_model model = learnt(truth, 64, random);
    for (int i = 0; i < truth.count(); ++i, ++asked)
      invented += model.slowdown(i, random_running(truth.count(), i, random)) > 1.01;
  }
  EXPECT_LE(invented, asked / 50);
}

// A component with 20 % of noise among others with 1 % has no coupling, in at least 48 of 50 draws.
TEST(interference_model, judges_each_component_by_its_own_noise) {
  int invented = 0;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    chance random(seed);
    interference_model model(4);
    for (int at = 0; at < 64; ++at)
      for (int i = 0; i < 4; ++i) model.observe(i, random.noise(i == 0 ? 0.2 : 0.01), random_running(4, i, random));
    model.fit();
    invented += model.slowdown(0, std::vector<double>{0, 1, 1, 1}) > 1.01;
  }
  EXPECT_LE(invented, 2);
}

// One component neither presses nor is slowed down, among others that do both. At most 2 of 50 draws say otherwise.
TEST(interference_model, leaves_out_the_one_that_does_not_interfere) {
  int pressed = 0, slowed = 0;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    chance random(seed);
    neighbours truth(4, random);
    truth.pressure[2] = truth.height[2] = 0;
    const interference_model model = learnt(truth, 64, random);
    slowed += model.slowdown(2, random_running(4, 2, random)) > 1.01;
    const std::vector<double> alone{0, 0, 1, 0};
    pressed += model.slowdown(0, alone) > 1.01;
  }
  EXPECT_LE(slowed, 2);
  EXPECT_LE(pressed, 2);
}

TEST(interference_model, says_one_before_it_has_learnt_and_where_nothing_runs) {
  chance random(1);
  const neighbours truth(3, random);
  const interference_model model = learnt(truth, 64, random);
  const std::vector<double> none{0, 0, 0}, all{1, 1, 1};
  EXPECT_EQ(interference_model(3).slowdown(0, all), 1);
  interference_model few(3);
  few.observe(0, 2, all);
  few.fit();
  EXPECT_EQ(few.slowdown(0, all), 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(model.slowdown(i, none), 1);
}

// Sets that press more than any observed one. Each of up to 5 components saw two others at a time; now all run.
TEST(interference_model, goes_beyond_the_sets_that_it_saw) {
  for (int count = 4; count <= 5; ++count) {
    std::vector<double> of_coupling;
    for (unsigned seed = 1; seed <= 40; ++seed) {
      chance random(200 * static_cast<unsigned>(count) + seed);
      const neighbours truth(count, random);
      interference_model model(count);
      for (int at = 0; at < 64; ++at)
        for (int i = 0; i < count; ++i) {
          std::vector<double> running(static_cast<std::size_t>(count), 0.0);
          for (const int step : {1, 1 + random.index(static_cast<std::size_t>(count) - 1)})
            running[static_cast<std::size_t>((i + step) % count)] = random.uniform(0, 1);
          if (at % 2 == 0) running[static_cast<std::size_t>((i + 1) % count)] = 0;
          model.observe(i, truth.slowdown(i, running) * random.noise(0.05), running);
        }
      model.fit();
      for (int i = 0; i < count; ++i) {
        std::vector<double> running(static_cast<std::size_t>(count), 1.0);
        running[static_cast<std::size_t>(i)] = 0;
        const double added = truth.slowdown(i, running) - 1;
        of_coupling.push_back(std::abs(model.slowdown(i, running) - 1 - added) / added);
      }
    }
    std::ranges::sort(of_coupling);
    EXPECT_LT(of_coupling[of_coupling.size() / 2], 0.2) << count;
  }
}

// More neighbours never make an invocation faster, and predictions are finite after any observations.
TEST(interference_model, rises_with_what_runs_and_ignores_what_is_no_number) {
  chance random(2);
  const neighbours truth(3, random);
  interference_model model = learnt(truth, 64, random), same = model;
  const double none = std::numeric_limits<double>::quiet_NaN();
  same.observe(0, none, std::vector<double>{0, 1, 1});
  same.observe(0, 0, std::vector<double>{0, 1, 1});
  same.observe(0, 1, std::vector<double>{0, -1, 1});
  same.fit();
  double before = 1;
  for (double cores = 0; cores <= 32; cores += 0.5) {
    const std::vector<double> running{0, cores, cores};
    const double now = model.slowdown(0, running);
    EXPECT_EQ(same.slowdown(0, running), now);
    EXPECT_TRUE(std::isfinite(now));
    EXPECT_GE(now, before);
    before = now;
  }
}

}  // namespace
}  // namespace weir::test

#include "scheduler/control/learnt_interference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "scheduler/simulate/simulated_network.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

namespace weir::testing {
namespace {

observation during(std::uint32_t component, double start, double end, int cores) {
  observation o;
  o.component = component;
  o.start = start;
  o.seconds = end - start;
  o.cores = cores;
  return o;
}

// Whatever the order in which observations come, an invocation has the cores that the others kept busy on average over
// its time, as counted one by one.
TEST(neighbour_times, are_means_over_the_time_of_an_invocation) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<observation> all;
  for (std::uint32_t k = 0; k < 150; ++k) {
    const double start = 20 * uniform(random), end = start + 0.1 + 2 * uniform(random);
    all.push_back(during(k % 3, start, end, 1 + static_cast<int>(k % 4)));
  }
  for (int order = 0; order < 20; ++order) {
    std::shuffle(all.begin(), all.end(), random);
    neighbour_times times(3);
    std::vector<std::size_t> followed;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (times.follows(all[k].component)) followed.push_back(k);
      times.add(all[k], static_cast<double>(k));
    }
    times.add(during(0, 100, 101, 1), -1);  // so all others are over
    std::size_t given = 0;
    times.settle([&](std::size_t component, double ratio, std::span<const double> running) {
      ++given;
      const observation& own = all[static_cast<std::size_t>(ratio)];
      ASSERT_EQ(own.component, component);
      std::vector<double> busy(3, 0);
      for (const observation& o : all) {
        if (&o == &own) continue;
        const double from = std::max(o.start, own.start);
        const double to = std::min(o.start + o.seconds, own.start + own.seconds);
        busy[o.component] += std::max(0.0, to - from) * o.cores / own.seconds;
      }
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(running[j], busy[j], 1e-9);
    });
    EXPECT_EQ(given, followed.size());
    EXPECT_EQ(given, 3 * neighbour_times::most_followed);
  }
}

// No result is given while a neighbour that ran may still be under way.
TEST(neighbour_times, wait_for_neighbours_that_may_still_run) {
  neighbour_times times(2);
  int given = 0;
  const auto count = [&](std::size_t, double, std::span<const double>) { ++given; };
  times.add(during(1, 0, 5, 1), 1);  // the longest invocation takes five seconds
  times.add(during(0, 5, 6, 1), 1);
  times.add(during(0, 9, 10, 1), 1);
  times.settle(count);
  EXPECT_EQ(given, 1);  // that of component 1
  times.add(during(0, 10, 11, 1), 1);
  times.settle(count);
  EXPECT_EQ(given, 2);
}

// Two components in a line: one presses for a part of the time that varies much, the other is slower.
struct line {
  double part;
  simulation::scenario what;
  allotment given;

  line(double pressure, double sensitivity, double of_time, int cores, std::uint64_t records) : part(of_time) {
    what = network(8, records, {constant("press", part), constant("slowed", 1)});
    what.components[0].noise = 0.5;
    what.components[0].pressure = pressure;
    what.components[1].noise = 0.05;
    what.components[1].sensitivity = sensitivity;
    given = {{{core_set::range(0, cores), 1}, {{7}, 1}}, {}};
  }

  std::shared_ptr<const interference_model> learnt(std::uint64_t seed) const {
    what.validate();
    simulation::simulated_network network(what, seed);
    network.move_to(given);
    learnt_interference learning(2);
    const double alone[] = {part, 1};
    while (network.advance())
      if (const auto& seen = network.ended())
        learning.observe(*seen, seen->seconds / alone[seen->component]), learning.step();
    return learning.known();
  }
};

// Drawn couplings, with 5 % of noise. The time with the neighbour is predicted within 4 % in the median, and within 10
// % in nine of ten draws. The time that it adds is predicted within 12 % in the median.
TEST(learnt_interference, predicts_what_a_neighbour_adds) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> of_time, of_added;
  for (std::uint64_t draw = 1; draw <= 40; ++draw) {
    const int cores = 1 + static_cast<int>(random() % 4);
    const double sensitivity = (0.3 + 0.5 * uniform(random)) / cores;
    const auto known = line(1, sensitivity, 0.3 + 0.4 * uniform(random), cores, 1500).learnt(draw);
    ASSERT_TRUE(known) << draw;
    const double real = 1 + sensitivity * cores;
    const double said = known->slowdown(1, std::vector<double>{static_cast<double>(cores), 0});
    of_time.push_back(std::abs(said / real - 1));
    of_added.push_back(std::abs(said - real) / (real - 1));
  }
  std::ranges::sort(of_time);
  std::ranges::sort(of_added);
  EXPECT_LT(of_time[of_time.size() / 2], 0.04);
  EXPECT_LT(of_time[of_time.size() * 9 / 10], 0.1);
  EXPECT_LT(of_added[of_added.size() / 2], 0.12);
}

// Nothing is said of components that do not slow each other down, in any of 100 runs.
TEST(learnt_interference, says_nothing_where_there_is_nothing) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) EXPECT_FALSE(line(0, 0, 0.5, 2, 800).learnt(seed)) << seed;
}

// More components than the model has room for, or a single one, are left alone.
TEST(learnt_interference, learns_nothing_of_one_component_or_of_too_many) {
  for (const std::size_t components : {std::size_t{0}, std::size_t{1}, std::size_t{17}}) {
    learnt_interference learning(components);
    EXPECT_FALSE(learning.asks(0));
    learning.observe(during(0, 0, 1, 1), 1);
    learning.step();
    learning.moved();
    EXPECT_FALSE(learning.known());
  }
}

}  // namespace
}  // namespace weir::testing

#include <weir/scheduler/predict/mapping_search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "scheduler/predict/mapping_choices.hpp"
#include "tests/scheduler/predict/every_mapping.hpp"
#include "tests/scheduler/predict/model_networks.hpp"

namespace weir::testing {
namespace {

using kind = mapping_goal::kind;

// No feasible mapping is 2 % better, for any goal.
TEST(mapping_search, nothing_better_is_left_out_on_few_cores) { expect_nothing_better_left_out(40, 3, 3, 50'000); }

// By hand: on two cores, a serial component of 3 s that is fully parallel and one of 1 s. Separate cores take 3 s, and
// so does one core each at a time. Both cores for the first, with the second also on both, take 2 s.
TEST(mapping_search, finds_that_cores_are_best_shared) {
  network_model net;
  net.components = {costing("a", {3, 1.5}, 1), costing("b", {1})};
  const auto found = best_mappings(net, 2, {});
  EXPECT_TRUE(found.complete);
  EXPECT_DOUBLE_EQ(found.best[0].predicted.throughput, .5);
  EXPECT_EQ(to_string(found.best[0].where, net), "a {0-1}, b any of {0-1}");
  for (std::size_t i = 1; i < found.best.size(); ++i)
    EXPECT_LE(found.best[i].predicted.throughput, found.best[i - 1].predicted.throughput * (1 + 1e-9));
  EXPECT_EQ(found.best.size(), 10u);
}

// The ways that are counted are as many as those that are listed, so none is listed that would be too many.
TEST(mapping_search, ways_are_counted_as_they_are_listed) {
  std::mt19937 random(3);
  const auto drawn = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 200; ++round) {
    std::vector<core_set> classes;
    int first = 0;
    for (int k = drawn(1, 3); k > 0; --k) {
      const int size = drawn(1, 4);
      classes.push_back(core_set::range(first, size));
      first += size;
    }
    network_model::component c;
    c.min_cores = drawn(1, 3);
    c.max_cores = drawn(0, 1) ? unlimited : c.min_cores + drawn(0, 3);
    c.max_width = drawn(0, 1) ? unlimited : drawn(1, 4);
    c.device = drawn(0, 9) == 0 ? 0 : -1;
    if (c.device >= 0) c.max_width = drawn(1, 4);
    const int slots = drawn(0, 5);
    ASSERT_EQ(count_ways(classes, c, slots), static_cast<double>(all_ways(classes, c, slots).size())) << round;
  }
}

// The listed mappings differ by more than the names of cores.
TEST(mapping_search, the_best_are_distinct) {
  network_model net;
  net.components = {costing("a", {1, .6}), costing("b", {.5}), costing("c", {.7, .4})};
  const auto found = best_mappings(net, 3, {.top = 25});
  EXPECT_EQ(found.best.size(), 25u);
  std::vector<std::string> forms;
  for (const auto& one : found.best) forms.push_back(form_of(one.where, 3));
  std::sort(forms.begin(), forms.end());
  EXPECT_EQ(std::unique(forms.begin(), forms.end()), forms.end());
}

// The number of listed mappings changes neither the best one nor its tie with others.
TEST(mapping_search, the_best_is_the_same_however_many_are_shown) {
  std::mt19937 random(6);
  for (int round = 0; round < 20; ++round) {
    const network_model net = random_network(random, 3, 3);
    const auto one = best_mappings(net, 3, {.top = 1}), many = best_mappings(net, 3, {.top = 12});
    ASSERT_EQ(one.best.empty(), many.best.empty());
    if (one.best.empty()) continue;
    const double throughput = one.best[0].predicted.throughput;
    EXPECT_NEAR(many.best[0].predicted.throughput, throughput, 1e-6 * throughput);
    EXPECT_EQ(many.best[0].where.used().size(), one.best[0].where.used().size());
  }
}

// Constraints hold for all listed mappings; if none meets them, the list is empty.
TEST(mapping_search, keeps_to_constraints) {
  network_model net;
  net.components = {costing_amdahl("a", 1, .9, 2), costing_amdahl("b", .5, .9, 2)};
  for (auto& c : net.components) c.variation = 0;
  const auto found = best_mappings(net, 4, {.wanted = kind::latency, .least_throughput = 2.2});
  ASSERT_FALSE(found.best.empty());
  for (const auto& one : found.best) EXPECT_GE(one.predicted.throughput, 2.2 * (1 - 1e-9));
  const auto quick = best_mappings(net, 4, {.most_latency = .7});
  ASSERT_FALSE(quick.best.empty());
  for (const auto& one : quick.best) EXPECT_LE(one.predicted.latency, .7 * (1 + 1e-9));
  EXPECT_TRUE(best_mappings(net, 4, {.least_throughput = 100}).best.empty());
  EXPECT_THROW(mapping_goal{.wanted = kind::cores}.validate(), std::invalid_argument);
  EXPECT_THROW(mapping_goal{.top = 0}.validate(), std::invalid_argument);
}

// Beyond exact search, the result is still as good as the classical answer for owners, which gives the next core to the
// slowest. Without sharing that answer is optimal.
TEST(mapping_search, beyond_exact_search_is_no_worse_than_the_best_without_sharing) {
  std::mt19937 random(5);
  for (int round = 0; round < 2; ++round) {
    network_model net;
    std::vector<double> seconds;
    for (int i = 0; i < 6; ++i) {
      seconds.push_back(std::uniform_real_distribution<double>(.1, 2)(random));
      net.components.push_back(costing_amdahl(numbered("c", i), seconds.back(), .95));
    }
    std::vector<int> cores(6, 1);
    const auto slowest = [&] {
      std::size_t worst = 0;
      for (std::size_t i = 0; i < 6; ++i)
        if (net.components[i].seconds(cores[i]) > net.components[worst].seconds(cores[worst])) worst = i;
      return worst;
    };
    for (int left = 16 - 6; left > 0; --left) ++cores[slowest()];
    const double apart = 1 / net.components[slowest()].seconds(cores[slowest()]);
    const auto found = best_mappings(net, 16, {.most_steps = 2000});
    EXPECT_GE(found.best[0].predicted.throughput, apart * .98);
  }
}

// The search's progress only grows, up to the most that it says it considers, and reporting it changes nothing.
TEST(mapping_search, says_how_far_it_is) {
  network_model net;
  for (int i = 0; i < 6; ++i) net.components.push_back(costing_amdahl(numbered("c", i), .1 * (i + 1), .95));
  std::vector<std::uint64_t> considered;
  const mapping_goal goal{.most_steps = 2000};
  const auto told = best_mappings(net, 16, goal, [&](std::uint64_t so_far, std::uint64_t at_most) {
    EXPECT_GT(so_far, considered.empty() ? 0 : considered.back());
    EXPECT_LE(so_far, at_most);
    considered.push_back(so_far);
  });
  const auto silent = best_mappings(net, 16, goal);
  EXPECT_GE(considered.size(), told.steps / 1000);
  EXPECT_EQ(told.steps, silent.steps);
  EXPECT_EQ(told.best[0].predicted.throughput, silent.best[0].predicted.throughput);
}

}  // namespace
}  // namespace weir::testing

#include "scheduler/mapping_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>

#include "model_networks.hpp"
#include "scheduler/mapping_choices.hpp"

namespace weir::testing {
namespace {

using kind = mapping_goal::kind;

// Every mapping there is, none left out for being like another: all sets of cores, all widths, roaming or not.
void each_mapping(const network_model& net, int cores, const std::function<void(const mapping&)>& see) {
  std::vector<mapping::entry> all;
  for (unsigned set = 1; set < 1u << cores; ++set) {
    std::vector<int> members;
    for (int c = 0; c < cores; ++c)
      if (set >> c & 1) members.push_back(c);
    for (int width = 1; width <= std::ssize(members); ++width) {
      all.push_back({core_set(members), width, false});
      if (members.size() > 1) all.push_back({core_set(members), width, true});
    }
  }
  std::vector<mapping::entry> on_device;
  for (int width = 1; width <= 4; ++width) on_device.push_back({{}, width, false});
  mapping m;
  m.components.resize(net.components.size());
  const std::function<void(std::size_t)> place = [&](std::size_t i) {
    if (i == net.components.size()) {
      if (check(m, net, cores).empty()) see(m);
      return;
    }
    for (const auto& e : net.components[i].device >= 0 ? on_device : all) m.components[i] = e, place(i + 1);
  };
  place(0);
}

struct exhausted {
  double throughput = 0, latency = std::numeric_limits<double>::infinity();
  int cores = 1 << 20;
  bool any = false;
};

// The best of each goal, and for latency and cores among those that carry the rate.
exhausted exhaust(const network_model& net, int cores, double rate, sharing rule) {
  exhausted best;
  const flow_predictor of(net);
  each_mapping(net, cores, [&](const mapping& m) {
    best.any = true;
    const capacity limits = capacity_of(net, of.flow().visits, m, cores, rule);
    best.throughput = std::max(best.throughput, limits.throughput);
    if (limits.throughput < rate) return;
    best.latency = std::min(best.latency, of.latency(m, limits, rate));
    best.cores = std::min(best.cores, m.used().size());
  });
  return best;
}

void compare_with_exhaustion(std::mt19937& random, int most_components, int most_cores) {
  const int cores = std::uniform_int_distribution<int>(1, most_cores)(random);
  const network_model net = random_network(random, most_components, most_cores);
  net.validate();
  const sharing rule = random() % 4 == 0 ? sharing::equal_parts : sharing::work_conserving;
  const mapping_search_result fastest = best_mappings(net, cores, {.at = {.rule = rule}});
  EXPECT_TRUE(fastest.complete);
  const exhausted any = exhaust(net, cores, 0, rule);
  ASSERT_EQ(fastest.best.empty(), !any.any);
  if (!any.any) return;
  const double most = fastest.best[0].predicted.throughput;
  EXPECT_GE(most, any.throughput / 1.02);
  EXPECT_LE(most, any.throughput * (1 + 1e-9)) << "what was found is one of all";

  const auto quickest = best_mappings(net, cores, {.wanted = kind::latency, .at = {.rule = rule}});
  ASSERT_FALSE(quickest.best.empty());
  EXPECT_LE(quickest.best[0].predicted.latency, any.latency * 1.02);

  const double rate = most * std::uniform_real_distribution<double>(.3, .8)(random);
  const exhausted loaded = exhaust(net, cores, rate, rule);
  const flow_options at{.rate = rate, .rule = rule};
  const auto timely = best_mappings(net, cores, {.wanted = kind::latency, .at = at});
  ASSERT_FALSE(timely.best.empty());
  EXPECT_TRUE(timely.best[0].predicted.feasible);
  EXPECT_LE(timely.best[0].predicted.latency, loaded.latency * 1.02);
  const auto fewest = best_mappings(net, cores, {.wanted = kind::cores, .at = at});
  ASSERT_FALSE(fewest.best.empty());
  EXPECT_EQ(fewest.best[0].where.used().size(), loaded.cores);
  for (const mapping_search_result* found : {&fastest, &quickest, &timely, &fewest})
    for (const found_mapping& one : found->best) EXPECT_EQ(check(one.where, net, cores), "");
}

// Nothing feasible that is 2 % better is left out, whatever is wanted.
TEST(mapping_search, nothing_better_is_left_out_on_few_cores) {
  std::mt19937 random(1);
  for (int round = 0; round < 25; ++round) compare_with_exhaustion(random, 3, 3);
}

// By hand: a serial component of 3 s that is fully parallel and one of 1 s, on two cores. Apart it takes 3 s; one core
// each at a time 3 s; both cores for the first, the second on both beside it, 2 s.
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

// The mappings that are shown differ by more than the names of cores.
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

// Constraints hold in all that is shown, and where nothing meets them nothing is.
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

// Beyond what can be searched through, what is found is still as good as what the classical answer for owners is: next
// core to the slowest, which is optimal where nobody shares.
TEST(mapping_search, beyond_exact_search_is_no_worse_than_the_best_without_sharing) {
  std::mt19937 random(5);
  for (int round = 0; round < 3; ++round) {
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

}  // namespace
}  // namespace weir::testing

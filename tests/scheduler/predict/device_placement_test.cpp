#include "scheduler/predict/device_placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "scheduler/expect/queueing.hpp"
#include "tests/scheduler/predict/every_mapping.hpp"
#include "tests/support/refusal.hpp"

// Searches that choose cores or a device for components which have both.
namespace weir {
namespace {

struct random_network {
  network_model network;
  std::vector<device_alternative> alternatives;
};

// A chain of two or three components, of which most may run on one of two devices as well.
random_network draw(std::mt19937& random) {
  std::uniform_real_distribution<double> time(0.01, 0.1);
  random_network d;
  d.network.devices = {{"gpu0", 1 + static_cast<int>(random() % 3)}, {"gpu1", 1}};
  const std::size_t n = 2 + random() % 2;
  for (std::size_t i = 0; i < n; ++i) {
    network_model::component& c = d.network.components.emplace_back();
    c.name = std::string(1, static_cast<char>('a' + i));
    c.seconds = [t = time(random), part = .5 + .5 * time(random)](int p) { return t * (part / p + 1 - part); };
    if (random() % 4 > 0) d.alternatives.push_back({i, static_cast<int>(random() % 2), 1, time(random)});
  }
  return d;
}

// The same, where invocations take one or two slots and parts of two resources: memory of the machine on cores, and
// that of the devices there. An invocation may need more than half of a resource, so that one runs at a time.
random_network draw_with_resources(std::mt19937& random) {
  random_network d = draw(random);
  const auto amount = [&] { return std::uniform_real_distribution<double>(1, 8)(random); };
  d.network.resources = {{"memory", 10}, {"memory of devices", 8}};
  for (network_model::component& c : d.network.components)
    if (random() % 2 == 0) c.needs = {{0, amount()}};
  for (device_alternative& a : d.alternatives) {
    a.slots = 1 + static_cast<int>(random() % static_cast<unsigned>(d.network.devices[std::size_t(a.device)].slots));
    if (random() % 3 > 0) a.needs = {{{1, amount()}}};
  }
  return d;
}

// Invariant: a mapping that is found keeps to the slots of each device. It keeps to the total of each resource by the
// means of the times.
void expect_within_bounds(const random_network& d, const placed_mapping& one) {
  const network_model placed = placed_on(d.network, d.alternatives, one.on_device);
  std::vector<int> slots(placed.devices.size(), 0);
  std::vector<double> used(placed.resources.size(), 0);
  for (std::size_t i = 0; i < placed.components.size(); ++i) {
    const network_model::component& c = placed.components[i];
    const mapping::entry& e = one.found.where.components[i];
    if (c.device >= 0) slots[static_cast<std::size_t>(c.device)] += c.slots * e.width;
    for (const network_model::need& n : c.needs)
      used[static_cast<std::size_t>(n.resource)] +=
          one.found.predicted.throughput * n.amount *
          seconds_in_lanes(e.cores_at_once(), e.width, [&](int cores) { return c.time_on(cores); });
  }
  for (std::size_t k = 0; k < slots.size(); ++k) EXPECT_LE(slots[k], placed.devices[k].slots);
  for (std::size_t k = 0; k < used.size(); ++k) EXPECT_LE(used[k], placed.resources[k].total * (1 + 1e-9));
}

// The oracle goes through every mapping of every choice.
TEST(device_placement, finds_the_best_of_all_choices_and_mappings) {
  std::mt19937 random(11);
  int by_device = 0, by_cores = 0;
  for (int round = 0; round < 24; ++round) {
    const random_network d = round % 3 == 0 ? draw(random) : draw_with_resources(random);
    const int cores = 1 + static_cast<int>(random() % 3);
    testing::exhausted best;
    for (unsigned bits = 0; bits < 1u << d.alternatives.size(); ++bits) {
      device_choices on_device;
      for (std::size_t k = 0; k < d.alternatives.size(); ++k) on_device.push_back((bits >> k & 1) != 0);
      const network_model placed = placed_on(d.network, d.alternatives, on_device);
      const testing::exhausted one = testing::exhaust(placed, cores, 0, sharing::work_conserving);
      best.throughput = std::max(best.throughput, one.throughput);
      best.latency_alone = std::min(best.latency_alone, one.latency_alone);
    }
    const placement_search_result fastest = best_placements(d.network, d.alternatives, cores, {});
    const placement_search_result quickest =
        best_placements(d.network, d.alternatives, cores, {.wanted = mapping_goal::kind::latency});
    ASSERT_FALSE(fastest.best.empty());
    ASSERT_FALSE(quickest.best.empty());
    EXPECT_TRUE(fastest.complete && quickest.complete);
    EXPECT_NEAR(fastest.best[0].found.predicted.throughput / best.throughput, 1, 1e-9) << round;
    EXPECT_NEAR(quickest.best[0].found.predicted.latency / best.latency_alone, 1, 1e-9) << round;
    for (const placed_mapping& one : fastest.best) expect_within_bounds(d, one);
    for (const bool on_device : fastest.best[0].on_device) ++(on_device ? by_device : by_cores);
  }
  EXPECT_GT(std::min(by_device, by_cores), 10) << "the cases ask for both";
}

// Invariant: what an invocation needs there is of the device alone, and keeps it from a device without room.
TEST(device_placement, knows_what_an_invocation_needs_on_the_device) {
  network_model n;
  n.devices = {{"gpu0", 4}};
  n.resources = {{"memory", 4}, {"memory of gpu0", 4}};
  n.components.push_back({.name = "a", .seconds = [](int) { return 1.0; }, .needs = {{0, 1}}});
  const auto best = [&](double there) {
    return best_placements(n, {{0, 0, 1, .5, {{{1, there}}}}}, 2, {}).best[0].found.predicted.throughput;
  };
  EXPECT_NEAR(best(1), 8, 1e-9) << "four slots on gpu0";
  EXPECT_NEAR(best(2), 4, 1e-9) << "its memory has room for two";
  EXPECT_NEAR(best(4), 2, 1e-9) << "one on gpu0, or two on cores";
}

// With more alternatives than are all tried, one after the other goes to the device while that helps.
TEST(device_placement, changes_one_after_the_other_where_there_are_many) {
  network_model n;
  std::vector<device_alternative> alternatives;
  for (std::size_t i = 0; i < 7; ++i) {
    network_model::component& c = n.components.emplace_back();
    c.name = std::string(1, static_cast<char>('a' + i));
    c.seconds = [](int) { return 0.1; };
    n.devices.push_back({"gpu" + std::to_string(i), 1});
    alternatives.push_back({i, static_cast<int>(i), 1, i < 4 ? 0.01 : 1.0});
  }
  mapping_goal goal;
  goal.wanted = mapping_goal::kind::latency;
  goal.most_steps = 50;
  const placement_search_result found = best_placements(n, alternatives, 2, goal);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.best[0].on_device, device_choices({true, true, true, true, false, false, false}));
}

std::string refused(const network_model& n, const std::vector<device_alternative>& alternatives) {
  return testing::refusal<std::invalid_argument>([&] { best_placements(n, alternatives, 1, {}); });
}

TEST(device_placement, refuses_alternatives_that_cannot_be) {
  network_model n;
  n.devices = {{"gpu0", 2}};
  n.components.push_back({.name = "a", .seconds = [](int) { return 1.0; }});
  EXPECT_EQ(refused(n, {{0, 1, 1, 1}}), "network: component \"a\" may run on device 1 of 1");
  EXPECT_EQ(refused(n, {{0, 0, 3, 1}}), "network: component \"a\" takes 3 slots of gpu0, expected was 1 to 2");
  EXPECT_EQ(refused(n, {{0, 0, 1, 1}, {0, 0, 1, 1}}),
            "network: component \"a\" has two alternatives, expected was one");
  EXPECT_EQ(refused(n, {{4, 0, 1, 1}}), "network: an alternative is of component 4 of 1");
}

}  // namespace
}  // namespace weir

#include "scheduler/predict/device_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/scheduler/simulate/scenarios.hpp"

// Predictions for components whose records run on cores or on a device, whichever is done first.
namespace weir {
namespace {

// An input that takes these seconds on any cores, and on the device.
device_costs::input taking(double part, double on_cores, double on_device) {
  return {part, [on_cores](int) { return on_cores; }, on_device};
}

double mean_on_cores(const device_costs& of) {
  double mean = 0;
  for (const device_costs::input& i : of.inputs) mean += i.part * i.on_cores(1);
  return mean;
}

// A chain of components that each have a core or two of their own; the first ones run on device 0 as well.
struct random_chain {
  network_model network;
  std::vector<device_costs> both;
  mapping where;
  int cores = 0;
};

random_chain draw(std::mt19937& random, std::size_t on_device) {
  random_chain d;
  d.network.devices = {{"gpu0", 1 + static_cast<int>(random() % 3)}};
  for (std::size_t i = 0; i < on_device + random() % 2; ++i) {
    network_model::component& c = d.network.components.emplace_back();
    c.name = std::string(1, static_cast<char>('a' + i));
    const int width = 1 + static_cast<int>(random() % 2);
    d.where.components.push_back({core_set::range(d.cores, width), width, false});
    d.cores += width;
    if (i >= on_device) {
      c.seconds = [t = testing::log_uniform(random, .01, .1)](int) { return t; };
      continue;
    }
    device_costs k{i, 0, {}};
    for (int j = 0; j < 4; ++j)
      k.inputs.push_back(taking(.25, testing::log_uniform(random, .01, .3), testing::log_uniform(random, .01, .1)));
    c.seconds = [t = mean_on_cores(k)](int) { return t; };
    d.both.push_back(std::move(k));
  }
  return d;
}

// The seconds on cores and on the device of a component's records, for one that enters, where this part of them runs on
// the device: those that gain most.
struct loads {
  double cores = 0, device = 0;
};
loads loads_of(device_costs k, double part) {
  std::sort(k.inputs.begin(), k.inputs.end(), [](const device_costs::input& a, const device_costs::input& b) {
    return a.on_cores(1) / a.on_device > b.on_cores(1) / b.on_device;
  });
  loads all;
  for (const device_costs::input& i : k.inputs) {
    const double there = std::clamp(part, 0.0, i.part);
    part -= there;
    all.device += there * i.on_device;
    all.cores += (i.part - there) * i.on_cores(1);
  }
  return all;
}

// The most records a second over all divisions in steps, by enumeration.
double best_of_all_divisions(const random_chain& d, int steps) {
  std::vector<std::vector<loads>> all;
  for (const device_costs& k : d.both) {
    all.emplace_back();
    for (int i = 0; i <= steps; ++i) all.back().push_back(loads_of(k, static_cast<double>(i) / steps));
  }
  double fixed = 0;
  for (std::size_t i = d.both.size(); i < d.network.components.size(); ++i)
    fixed = std::max(fixed, d.network.components[i].seconds(1) / d.where.components[i].width);
  double least = 1e9;
  std::vector<std::size_t> chosen(all.size(), 0);
  for (bool more = true; more;) {
    double device = 0, busiest = fixed;
    for (std::size_t k = 0; k < all.size(); ++k) {
      device += all[k][chosen[k]].device;
      busiest = std::max(busiest, all[k][chosen[k]].cores / d.where.components[k].width);
    }
    least = std::min(least, std::max(busiest, device / d.network.devices[0].slots));
    more = false;
    for (std::size_t& c : chosen) {
      if (c < static_cast<std::size_t>(steps)) {
        ++c, more = true;
        break;
      }
      c = 0;
    }
  }
  return 1 / least;
}

// The predicted throughput is that of the best of all divisions between cores and device.
TEST(device_flow, carries_as_much_as_the_best_of_all_divisions) {
  std::mt19937 random(62);
  for (int round = 0; round < 60; ++round) {
    const random_chain d = draw(random, 1 + static_cast<std::size_t>(round % 2));
    const network_prediction p = predict_on_cores_and_devices(d.network, d.both, d.where, d.cores);
    ASSERT_TRUE(p.feasible) << p.why_not;
    const double best = best_of_all_divisions(d, 500);
    EXPECT_GE(p.throughput, best * (1 - 1e-6)) << "round " << round;
    EXPECT_LE(p.throughput, best * 1.02) << "round " << round;
    ASSERT_EQ(p.components.size(), d.network.components.size() + d.both.size());
    EXPECT_EQ(p.cores.size(), static_cast<std::size_t>(d.cores));
  }
}

// Members of the shared group have its cores and the device's slots together.
TEST(device_flow, divides_the_records_of_components_that_share_cores) {
  network_model n;
  n.devices = {{"gpu0", 1}};
  n.components.resize(2);
  std::vector<device_costs> both;
  for (std::size_t i = 0; i < 2; ++i) {
    n.components[i].name = i == 0 ? "a" : "b";
    n.components[i].seconds = [](int) { return 0.1; };
    both.push_back({i, 0, {taking(1, 0.1, i == 0 ? 0.05 : 0.2)}});
  }
  const mapping shared{{{{0}, 1, false}, {{0}, 1, false}}};
  const network_prediction p = predict_on_cores_and_devices(n, both, shared, 1);
  // a on the device and b on the core carry 10; a half of the device's time is left, for a quarter of a record of b.
  EXPECT_NEAR(p.throughput, 12, 0.01);
  EXPECT_NEAR(p.components[0].rate, 0, 1e-6);
}

// A fixed side is kept, even where the other one is faster or idle.
TEST(device_flow, keeps_records_on_the_side_that_is_fixed) {
  network_model n;
  n.devices = {{"gpu0", 1}};
  n.components.resize(1);
  n.components[0].name = "a";
  n.components[0].seconds = [](int) { return 0.1; };
  device_costs k{0, 0, {taking(.5, 0.1, 0.01), taking(.5, 0.1, 0.5)}};
  k.inputs[0].where = device_costs::side::cores;
  k.inputs[1].where = device_costs::side::device;
  const network_prediction p = predict_on_cores_and_devices(n, {k}, {{{{0}, 1, false}}}, 1);
  EXPECT_NEAR(p.throughput, 4, 0.01);
  EXPECT_EQ(p.bottleneck, "component a on gpu0");
  EXPECT_NEAR(p.components[1].rate, 2, 0.01);
}

// Alone, a record takes the time of where it is faster. At a rate that one side cannot carry, both have some.
TEST(device_flow, has_the_latency_of_the_faster_side_until_that_is_busy) {
  network_model n;
  n.devices = {{"gpu0", 1}};
  n.components.resize(1);
  n.components[0].name = "a";
  n.components[0].seconds = [](int) { return 0.1; };
  const std::vector<device_costs> both{{0, 0, {taking(1, 0.1, 0.04)}}};
  const mapping one{{{{0}, 1, false}}};
  const auto at = [&](double rate) { return predict_on_cores_and_devices(n, both, one, 1, {.rate = rate}); };
  EXPECT_NEAR(at(0.01).latency, 0.04, 0.001);
  EXPECT_NEAR(at(0.01).components[1].rate, 0.01, 1e-9);
  EXPECT_NEAR(at(0.01).throughput, 35, 0.01);
  const network_prediction busy = at(30);
  EXPECT_TRUE(busy.feasible) << busy.why_not;
  EXPECT_GT(busy.components[0].rate, 1);
  EXPECT_GT(busy.latency, 0.04);
  EXPECT_FALSE(at(36).feasible);
}

// A simulated run by the rule of real runs carries at least nine tenths of the prediction, and never more. The rest
// is lost to the order of the records, of which a number waits at a time.
TEST(device_flow, agrees_with_runs_in_virtual_time) {
  using simulation::law_cost;
  std::mt19937 random(5);
  for (int round = 0; round < 12; ++round) {
    const int lanes = 1 + static_cast<int>(random() % 3), slots = 1 + static_cast<int>(random() % 2);
    const double start = testing::log_uniform(random, .02, .1), by_x = testing::log_uniform(random, 5e-5, 4e-4);
    simulation::scenario s = testing::network(lanes, 4000, {testing::constant("blur", 1)});
    simulation::simulated_component& c = s.components[0];
    c.cost = law_cost{{0, 1e-3}, 0, 0, 0, 0, {}};
    c.degree = 1;
    c.max_width = unlimited;
    c.phases[0].x = {simulation::input_range::shape::log_uniform, 10, 1000, {}};
    s.devices = {{"gpu0", slots, {}}};
    c.second = {.device = 0, .cost = law_cost{{start, by_x}, 0, 0, 0, 0, {}}, .slot_factors = {}, .from = {}};
    const double seen = testing::run_on(s, {{{core_set::range(0, lanes), lanes}}, {}}).throughput;

    network_model n;
    n.devices = {{"gpu0", slots}};
    n.components.resize(1);
    n.components[0].name = "blur";
    device_costs k;
    const std::vector<double> xs = simulation::sampled(c.phases[0].x, 16);
    for (double x : xs) k.inputs.push_back(taking(1.0 / 16, 1e-3 * x, start + by_x * x));
    n.components[0].seconds = [t = mean_on_cores(k)](int) { return t; };
    const network_prediction p =
        predict_on_cores_and_devices(n, {k}, {{{core_set::range(0, lanes), lanes, false}}}, lanes);
    EXPECT_LE(seen, p.throughput * 1.01) << lanes << " lanes, " << slots << " slots, " << start << " + " << by_x;
    EXPECT_GE(seen, p.throughput * 0.9) << lanes << " lanes, " << slots << " slots, " << start << " + " << by_x;
  }
}

// A join takes a record of each stream, so the division of one stream is left out, and a note says so.
TEST(device_flow, leaves_out_what_leads_to_a_join) {
  network_model n;
  n.devices = {{"gpu0", 1}};
  n.components.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    n.components[i].name = std::string(1, static_cast<char>('a' + i));
    n.components[i].seconds = [](int) { return 0.1; };
  }
  n.components[2].joins = true;
  n.links = {{-1, 0, 1}, {-1, 1, 1}, {0, 2, 1}, {1, 2, 1}, {2, -1, 1}};
  const mapping apart{{{{0}, 1}, {{1}, 1}, {{2}, 1}}};
  const network_prediction p = predict_on_cores_and_devices(n, {{0, 0, {taking(1, .1, .01)}}}, apart, 3);
  EXPECT_NEAR(p.throughput, 10, 0.01);
  ASSERT_FALSE(p.notes.empty());
  EXPECT_EQ(p.notes.back(), "a is predicted on cores alone, since a join follows");
}

// A component or device that there is not is refused, with its number.
TEST(device_flow, refuses_what_there_is_not) {
  network_model n;
  n.devices = {{"gpu0", 1}};
  n.components.resize(1);
  n.components[0].name = "a";
  n.components[0].seconds = [](int) { return 0.1; };
  const auto refused = [&](device_costs k) {
    try {
      predict_on_cores_and_devices(n, {std::move(k)}, {{{{0}, 1}}}, 1);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused({1, 0, {taking(1, 1, 1)}}), "network: device costs are of component 1 of 1");
  EXPECT_EQ(refused({0, 1, {taking(1, 1, 1)}}), "network: component \"a\" may run on device 1 of 1");
  EXPECT_EQ(refused({0, 0, {taking(1, 1, -1)}}),
            "network: component \"a\" takes -1 seconds on its device, for 1 of its records");
}

// Where another component has all slots of the device, records stay on cores, and one that must not is refused.
TEST(device_flow, needs_a_slot_that_no_other_component_has) {
  network_model network;
  network.devices = {{"gpu0", 2}};
  network_model::component& blur = network.components.emplace_back();
  blur.name = "blur";
  blur.seconds = [](int) { return 0.2; };
  network_model::component& sharpen = network.components.emplace_back();
  sharpen.name = "sharpen";
  sharpen.seconds = [](int) { return 0.01; };
  sharpen.device = 0;
  sharpen.max_width = 2;
  const mapping where{{{core_set::range(0, 1), 1, false}, {{}, 2, false}}};
  ASSERT_EQ(check(where, network, 1), "");
  device_costs costs{0, 0, {taking(1, 0.2, 0.05)}};
  const network_prediction got = predict_on_cores_and_devices(network, {costs}, where, 1);
  EXPECT_EQ(got.throughput, predict_flow(network, where, 1).throughput);
  EXPECT_EQ(got.notes,
            (std::vector<std::string>{"blur is predicted on cores alone, since others have all slots of its device"}));
  costs.inputs[0].where = device_costs::side::device;
  EXPECT_THROW(predict_on_cores_and_devices(network, {costs}, where, 1), std::invalid_argument);
}

}  // namespace
}  // namespace weir

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <weir/scheduler/predict/predict_flow.hpp>
#include "scheduler/expect/fair_group.hpp"
#include "scheduler/expect/queueing.hpp"
#include "scheduler/predict/view_network.hpp"
#include "tests/scheduler/predict/relative_errors.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

// The predicted waits of components that share cores and have other priorities than one another.
namespace weir::priority_latency_test {
namespace {

using simulation::arrivals;

// Branches that share cores. A record takes one of them, chosen by a box outside the cores that takes a moment.
struct shared_case {
  network_model network;
  simulation::scenario truth;
  mapping where;
  allotment given;
  int cores = 1;
  double rate = 0;

  std::vector<double> predicted_waits() const {
    const network_prediction all = predict_flow(network, where, cores, {.rate = rate});
    std::vector<double> waits;
    for (std::size_t i = 1; i < all.components.size(); ++i)
      waits.push_back(all.components[i].sojourn - network.components[i].seconds(1));
    return waits;
  }
};

// 2 to 5 branches of exponential times, a core or two, and a load of 0.4 to 0.9.
shared_case draw(std::mt19937& random) {
  shared_case c;
  c.cores = 1 + static_cast<int>(random() % 2);
  const std::size_t branches = 2 + random() % 4;
  c.truth = testing::network(c.cores, 30'000, {testing::constant("route", 1e-6)});
  c.truth.components[0].blocking = 64;
  c.truth.components[0].chooses = true;
  share outside;
  outside.outside = true;
  outside.width = 64;
  c.given = {{outside}, core_set::range(0, c.cores)};
  c.network.components.push_back({.name = "route", .seconds = [](int) { return 1e-6; }, .variation = 0});
  put_outside(c.network, 0, 64);
  c.where.components.push_back({{}, 64, false});
  c.truth.links = {{-1, 0, 1}};
  std::vector<double> parts;
  double sum = 0, work = 0;
  for (std::size_t i = 0; i < branches; ++i) sum += parts.emplace_back(testing::log_uniform(random, 0.2, 1));
  for (std::size_t i = 0; i < branches; ++i) {
    const std::string name = "branch " + std::to_string(i);
    const double seconds = testing::log_uniform(random, 0.3, 3), part = parts[i] / sum;
    const int priority = std::vector{1, 1, 2, 4, 10, 1000}[random() % 6];
    simulation::simulated_component s = testing::exponential(name);
    s.cost = simulation::law_cost{{0, seconds}, 0, 0, 0, 0, {}};
    s.max_width = unlimited;
    s.sequential = true;
    s.priority = priority;
    c.truth.components.push_back(s);
    c.given.components.push_back({});
    c.network.components.push_back({.name = name, .seconds = [seconds](int) { return seconds; }, .variation = 1});
    c.network.components.back().priority = priority;
    c.where.components.push_back({core_set::range(0, c.cores), c.cores, true});
    const int at = static_cast<int>(i) + 1;
    c.truth.links.push_back({0, at, part});
    c.truth.links.push_back({at, -1, 1});
    work += part * seconds;
  }
  c.network.links = c.truth.links;
  for (simulation::simulated_component& s : c.truth.components) s.capacity = c.truth.records + 1;
  c.rate = std::uniform_real_distribution<double>(0.4, 0.9)(random) * c.cores / work;
  c.truth.coming.how = arrivals::kind::profile;
  c.truth.coming.rates = {{0, c.rate}};
  return c;
}

struct errors {
  testing::relative_errors with, without;  // without: as if all had one priority
};

errors drawn_errors(int rounds, unsigned seed) {
  std::mt19937 random(seed);
  errors all;
  for (int round = 0; round < rounds; ++round) {
    shared_case c = draw(random);
    const std::vector<double> truth = testing::run_on(c.truth, c.given).waited;
    const std::vector<double> with = c.predicted_waits();
    for (network_model::component& one : c.network.components) one.priority = 1;
    const std::vector<double> without = c.predicted_waits();
    for (std::size_t i = 0; i < with.size(); ++i) {
      all.with.add(with[i], truth[i + 1]);
      all.without.add(without[i], truth[i + 1]);
    }
  }
  return all;
}

// The waits of components on shared cores, against simulations by the order of a run. As if all had one priority they
// would err by far more.
TEST(predicted_priorities, divide_the_wait_nearly_as_a_group_does) {
  const errors e = drawn_errors(40, 5);
  const double median = e.with.at(0.5), most = e.with.at(0.9);
  RecordProperty("median", std::to_string(median) + " without " + std::to_string(e.without.at(0.5)));
  RecordProperty("nine_of_ten", std::to_string(most) + " without " + std::to_string(e.without.at(0.9)));
  EXPECT_LT(median, 0.15);
  EXPECT_LT(most, 0.4);
  EXPECT_LT(median, 0.4 * e.without.at(0.5));
  EXPECT_LT(most, 0.4 * e.without.at(0.9));
}

// The mean wait weighted by work is the same whatever the weights: Kleinrock's conservation law.
TEST(predicted_priorities, conserve_the_work_that_waits) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<weighted_work> kinds;
    for (int i = 0; i < 5; ++i)
      kinds.push_back({std::vector{1., 2., 3., 50., 1000.}[random() % 5], testing::log_uniform(random, 0.005, 0.19)});
    const std::vector<double> parts = waits_by_weight(kinds);
    double work = 0, weighted = 0;
    for (std::size_t i = 0; i < kinds.size(); ++i) work += kinds[i].busy, weighted += kinds[i].busy * parts[i];
    EXPECT_NEAR(weighted / work, 1, 1e-9);
  }
}

// The sums of Kleinrock's formula as they are printed, for each kind anew.
std::vector<double> waits_as_printed(const std::vector<weighted_work>& kinds) {
  std::vector<std::size_t> order(kinds.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return kinds[i].weight; });
  std::vector<double> waits(kinds.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    const weighted_work& own = kinds[order[at]];
    double below = 0, above = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const weighted_work& other = kinds[order[k]];
      if (other.weight < own.weight) below += other.busy * waits[order[k]] * (1 - other.weight / own.weight);
      if (other.weight > own.weight) above += other.busy * (1 - own.weight / other.weight);
    }
    waits[order[at]] = (1 - below) / (1 - above);
  }
  return waits;
}

// Invariant: running sums give what the formula gives, with equal weights and with far ones.
TEST(predicted_priorities, are_those_of_the_formula_as_it_is_printed) {
  std::mt19937 random(4);
  for (const std::size_t size : {1u, 2u, 7u, 60u})
    for (int round = 0; round < 50; ++round) {
      std::vector<weighted_work> kinds;
      for (std::size_t i = 0; i < size; ++i)
        kinds.push_back({random() % 3 > 0 ? testing::log_uniform(random, 1, 1e9) : 1000,
                         testing::log_uniform(random, 1e-4, 0.95 / double(size))});
      const std::vector<double> printed = waits_as_printed(kinds), found = waits_by_weight(kinds);
      ASSERT_EQ(found.size(), printed.size());
      for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(found[i] / printed[i], 1, 1e-9) << size << " " << i;
    }
}

// Where all members have one priority each waits as long as the mean; with more of it than others a member waits less.
TEST(predicted_priorities, divide_nothing_where_they_are_alike) {
  const offered_load one{0.2, 1, 1}, other{0.4, 1, 1};
  fair_group alike, unlike;
  for (const offered_load& load : {one, other}) alike.add(load, 5);
  alike.add({}, 1);
  EXPECT_EQ(alike.parts(1), (std::vector<double>{1, 1, 1})) << "one without a load changes nothing";
  unlike.add(one, 5);
  unlike.add({}, 1);
  unlike.add(other, 1);
  const std::vector<double> parts = unlike.parts(1);
  EXPECT_LT(parts.at(0), 1);
  EXPECT_EQ(parts.at(1), 1);
  EXPECT_GT(parts.at(2), 1);
}

// One weight for all changes nothing, and one without bound is Cobham's priority without interruption.
TEST(predicted_priorities, are_those_of_cobham_in_the_limit) {
  for (const double part : waits_by_weight({{7, 0.35}, {7, 0.35}})) EXPECT_NEAR(part, 1, 1e-12);
  shared_queue all;
  for (int i = 0; i < 2; ++i) all.add({0.35, 1, 1});
  const std::vector<double> parts = waits_by_weight({{1e12, 0.35}, {1, 0.35}});
  EXPECT_NEAR(all.wait(1) * parts.at(0), 0.7 / (1 - 0.35), 1e-9);
  EXPECT_NEAR(all.wait(1) * parts.at(1), 0.7 / (1 - 0.35) / (1 - 0.7), 1e-9);
}

}  // namespace
}  // namespace weir::priority_latency_test

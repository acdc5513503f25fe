#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <weir/scheduler/predict/predict_flow.hpp>
#include "scheduler/expect/batch_queue.hpp"
#include "scheduler/expect/queueing.hpp"
#include "tests/scheduler/predict/every_mapping.hpp"
#include "tests/scheduler/predict/relative_errors.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

// The predicted latency of components whose invocations take several records.
namespace weir::batch_latency_test {
namespace {

using simulation::arrivals;

// One component on `lanes` cores of its own, and perhaps one behind it, with the same costs in both forms.
struct batched_case {
  network_model network;
  simulation::scenario truth;
  mapping where;
  allotment given;
  int cores = 0;
  double rate = 0;

  double predicted() const { return predict_flow(network, where, cores, {.rate = rate}).latency; }
  double simulated() const { return testing::run_on(truth, given).latency_mean; }
};

void add(batched_case& c, const std::string& name, int lanes, double each, int most, double start) {
  simulation::simulated_component s = testing::constant(name, each);
  s.sequential = true;
  s.max_width = lanes;
  s.most_in_batch = most;
  s.batch_start = start;
  s.capacity = 100'000;
  c.truth.components.push_back(s);
  network_model::component& m = c.network.components.emplace_back();
  m.name = name;
  m.seconds = [t = each + start / most](int) { return t; };
  m.variation = 0;
  m.together = most;
  m.batch_start = start;
  c.where.components.push_back({core_set::range(c.cores, lanes), lanes, false});
  c.given.components.push_back({core_set::range(c.cores, lanes), lanes});
  c.cores += lanes;
}

// A part of the records that full invocations carry comes, one by one.
void load(batched_case& c, double part) {
  c.truth.cores = c.cores;
  c.truth.records = 20'000;
  c.rate = part * predict_flow(c.network, c.where, c.cores).throughput;
  c.truth.coming.how = arrivals::kind::profile;
  c.truth.coming.rates = {{0, c.rate}};
}

batched_case draw(std::mt19937& random, bool has_next) {
  batched_case c;
  const int most = 1 << (1 + random() % 6), lanes = 1 << random() % 3;
  const double start = testing::log_uniform(random, .01, 10), each = testing::log_uniform(random, .01, 1);
  add(c, "batched", lanes, each, most, start);
  if (has_next) add(c, "next", 1, testing::log_uniform(random, .1, .8) * (each + start / most) / lanes, 1, 0);
  load(c, std::uniform_real_distribution<double>(.1, .85)(random));
  return c;
}

// With what batches do, and without: by a prediction that takes each record for an invocation.
struct errors {
  testing::relative_errors with, without;
};

errors errors_of(bool has_next, unsigned seed) {
  constexpr int rounds = 30;
  std::mt19937 random(seed);
  errors all;
  for (int round = 0; round < rounds; ++round) {
    batched_case c = draw(random, has_next);
    const double truth = c.simulated();
    all.with.add(c.predicted(), truth);
    c.network.components[0].together = 1;
    all.without.add(c.predicted(), truth);
  }
  for (const auto& [name, one] : {std::pair("with", &all.with), std::pair("without", &all.without)}) {
    ::testing::Test::RecordProperty(name + std::string("_median"), std::to_string(one->at(0.5)));
    ::testing::Test::RecordProperty(name + std::string("_p90"), std::to_string(one->at(0.9)));
  }
  return all;
}

// Invariant: the seconds of a record in batches are those of a simulated run.
TEST(batch_latency, is_that_of_simulated_runs) {
  const errors all = errors_of(false, 3);
  EXPECT_LE(all.with.at(0.5), .08);
  EXPECT_LE(all.with.at(0.9), .3);
  EXPECT_GE(all.without.at(0.5), .5);
}

// Invariant: the records of an invocation end together, and wait for each other at the next component.
TEST(batch_latency, has_the_bursts_that_batches_leave) {
  const errors all = errors_of(true, 4);
  EXPECT_LE(all.with.at(0.5), .12);
  EXPECT_LE(all.with.at(0.9), .35);
  EXPECT_GE(all.without.at(0.5), .4);
}

// Invariant: an invocation for one record is the ordinary queue.
TEST(batch_latency, is_the_ordinary_wait_for_single_records) {
  for (const int servers : {1, 2, 8})
    for (const double part : {.1, .5, .9}) {
      const double rate = part * servers / 2;
      const batched_record one = in_batches({rate, .5, 1.5, 1, .7, servers});
      EXPECT_NEAR(one.wait, waiting_time({rate, 2, .7}, servers), 1e-9) << servers << " " << part;
      EXPECT_EQ(one.service, 2);
    }
  EXPECT_TRUE(std::isinf(in_batches({.rate = 2, .start = 1, .each = .25, .most = 4}).wait)) << "4 in 2 s, 4 come";
}

// Invariant: the search for the least latency leaves out no better mapping where components take several records.
TEST(batch_latency, is_what_mappings_are_chosen_by) {
  std::mt19937 random(8);
  for (int round = 0; round < 8; ++round) {
    batched_case c;
    for (const char* name : {"a", "b"})
      add(c, name, 1, testing::log_uniform(random, .01, 1), 1 << random() % 5, testing::log_uniform(random, .01, 4));
    const double rate = .6 * best_mappings(c.network, 3, {}).best.at(0).predicted.throughput;
    const mapping_goal goal{.wanted = mapping_goal::kind::latency, .at = {.rate = rate}};
    const double found = best_mappings(c.network, 3, goal).best.at(0).predicted.latency;
    EXPECT_NEAR(found / testing::exhaust(c.network, 3, rate, sharing::work_conserving).latency_at_rate, 1, .02)
        << round;
  }
}

// Invariant: a record alone waits for no others, and takes what an invocation takes for one.
TEST(batch_latency, of_a_record_alone_is_an_invocation_for_one) {
  batched_case c;
  add(c, "batched", 1, 1, 32, 8);
  EXPECT_NEAR(predict_flow(c.network, c.where, 1).latency, 9, 1e-9);
  EXPECT_NEAR(predict_flow(c.network, c.where, 1).throughput, 32 / 40.0, 1e-9);
}

}  // namespace
}  // namespace weir::batch_latency_test

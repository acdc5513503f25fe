#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "scheduler/simulate/simulated_run.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

// Components whose invocations take several records, with a second implementation on a device. The size is learnt for
// each side apart, and side and size of a batch are chosen together by the rule of a run.
namespace weir::simulation {
namespace {

// A record takes `by_record` s on cores. On the device an invocation takes `start` s, and each record a little more.
scenario embedding(std::uint64_t records, int most, double by_record, double start, int lanes = 1) {
  scenario s = testing::network(lanes, records, {testing::constant("embed", by_record)});
  simulated_component& c = s.components[0];
  c.most_in_batch = most;
  c.max_width = unlimited;
  c.sequential = true;
  s.devices = {{"gpu0", 1, {}}};
  c.second = {
      .device = 0, .cost = law_cost{{0.001}, 0, 0, 0, 0, {}}, .batch_start = start, .slot_factors = {}, .from = {}};
  return s;
}

allotment on_one_core() { return {{{{0}, 1}}, {}}; }

const device_numbers& numbers_of(const simulated_result& r) { return r.devices.at(0).seen; }

// The device needs large batches and cores gain nothing by them: each side prefers its own size.
TEST(simulated_batches_on_devices, have_the_size_that_is_best_for_each_side) {
  const simulated_result r = testing::run_on(embedding(40'000, 64, 0.1, 1), on_one_core());
  EXPECT_EQ(r.records, 40'000u);
  EXPECT_GE(numbers_of(r).size_on_device, 48u);
  EXPECT_LE(numbers_of(r).size_on_cores, 2u);
}

// Full batches on the device and a core that works all the time are the most that is possible.
TEST(simulated_batches_on_devices, are_done_nearly_as_fast_as_both_sides_can) {
  for (const double start : {0.2, 1.0, 5.0}) {
    const simulated_result r = testing::run_on(embedding(40'000, 64, 0.1, start), on_one_core());
    const double both = 64 / (start + 0.064) + 1 / 0.1;
    EXPECT_GE(r.throughput, 0.9 * both) << "a start of " << start << " s";
    EXPECT_LE(r.throughput, both) << "a start of " << start << " s";
  }
}

// Records that come seldom wait for no others: each runs on cores, where one alone is done first.
TEST(simulated_batches_on_devices, leave_single_records_to_the_cores) {
  scenario s = embedding(4000, 64, 0.1, 1);
  s.coming.how = arrivals::kind::profile;
  s.coming.rates = {{0, 2}};
  s.coming.poisson = false;
  const simulated_result r = testing::run_on(s, on_one_core());
  EXPECT_LE(numbers_of(r).records, 400u);
  EXPECT_NEAR(r.latency_p50, 0.1, 1e-9);
}

// A device that fails for a while hands its batches to cores, loses nothing, and is used again.
TEST(simulated_batches_on_devices, run_on_cores_while_the_device_fails) {
  scenario s = embedding(20'000, 64, 0.1, 1);
  s.devices[0].fails = {{50, 100}};
  const simulated_result r = testing::run_on(s, on_one_core());
  EXPECT_EQ(r.records, 20'000u);
  EXPECT_GE(numbers_of(r).errors, 1u);
  EXPECT_GT(static_cast<double>(numbers_of(r).records), 0.5 * 20'000);
}

}  // namespace
}  // namespace weir::simulation

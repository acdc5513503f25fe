#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/measurements/flow_accuracy/random_allotment.hpp"
#include "bench/measurements/flow_accuracy/random_network.hpp"
#include "bench/measurements/flow_accuracy/simulated_trial.hpp"
#include "bench/measurements/flow_accuracy/summary.hpp"

namespace weir::flow_accuracy {
namespace {

// Every drawn allotment is valid and uses every core.
TEST(random_allotment, is_an_allotment_of_all_cores) {
  for (const std::size_t components : {1u, 2u, 3u, 11u, 40u})
    for (const int cores : {1, 2, 3, 16})
      for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const allotment given = random_allotment(components, cores, seed);
        ASSERT_EQ(given.components.size(), components);
        ASSERT_EQ(check(given, core_set::range(0, cores)), "") << seed;
        core_set used = given.shared;
        for (const share& s : given.components) {
          used = used | s.cores;
          if (!s.cores.empty()) {
            ASSERT_EQ(s.width, s.cores.size());
          }
        }
        ASSERT_EQ(used, core_set::range(0, cores)) << components << " components, seed " << seed;
      }
}

// A component with one stream in has all its flow on that stream. The rows of a run agree: each component's output
// equals its input, exactly in the prediction, and up to the records in flight in the observation.
TEST(simulated_trial, rows_of_a_small_network_agree) {
  random_network diamond;
  for (int i = 0; i < 4; ++i) diamond.components.push_back({20e-6});
  diamond.streams = {{0, 1, 8}, {0, 2, 8}, {1, 3, 8}, {2, 3, 8}};
  const trial_result result =
      simulated_trial("diamond", model_of(diamond), 4, one_core_each(4), 0.5, 20'000, {.seconds = 1, .seed = 3});

  std::vector<comparison> flows, queues;
  for (const comparison& c : result.rows) (c.kind == comparison::what::flow ? flows : queues).push_back(c);
  ASSERT_EQ(flows.size(), 5u);
  EXPECT_EQ(flows[0].stream, "throughput");
  EXPECT_NEAR(flows[0].predicted, 50'000, 1) << "b0 takes 20 us";
  EXPECT_EQ(flows[1].stream, "b0 -> b1");
  EXPECT_NEAR(flows[1].predicted + flows[2].predicted, flows[0].predicted, 1e-6);
  EXPECT_NEAR(flows[1].seen + flows[2].seen, flows[0].seen, flows[0].seen * 0.02);
  EXPECT_NEAR(flows[3].seen, flows[1].seen, flows[1].seen * 0.02);
  for (const comparison& c : flows) EXPECT_LT(std::abs(c.error_percent()), 5) << c.stream;

  ASSERT_EQ(queues.size(), 4u);
  for (const comparison& c : queues) {
    EXPECT_EQ(c.load, 0.5);
    EXPECT_GE(c.predicted, c.seen) << c.stream;
    EXPECT_GE(c.seen, 2) << c.stream << ": at this load somebody waits";
  }
  EXPECT_GT(queues[0].predicted, queues[1].predicted) << "b1 has half the load";
}

comparison of(double predicted, double seen) {
  comparison c;
  c.predicted = predicted;
  c.seen = seen;
  return c;
}

// Errors are in percent of the observed value, and R^2 is 1 without errors.
TEST(summary, counts_errors_and_bounds) {
  const summary exact = summary_of({of(1, 1), of(2, 2), of(4, 4)});
  EXPECT_EQ(exact.median, 0);
  EXPECT_EQ(exact.within, 1);
  EXPECT_EQ(exact.bounded, 1);
  EXPECT_EQ(exact.r_squared, 1);
  const std::vector<comparison> off{of(150, 100), of(105, 100), of(90, 120)};
  const summary s = summary_of(off);
  EXPECT_DOUBLE_EQ(s.median, 5);
  EXPECT_DOUBLE_EQ(s.median_absolute, 25);
  EXPECT_DOUBLE_EQ(s.within, 1.0 / 3);
  EXPECT_DOUBLE_EQ(s.bounded, 2.0 / 3);
  EXPECT_LT(s.r_squared, 0) << "worse than the mean";
  const std::string text = histogram(off);
  EXPECT_NE(text.find("2 to 5 %      1"), std::string::npos) << text;
  EXPECT_NE(text.find("20 to 50 %      1"), std::string::npos) << text;
  EXPECT_NE(text.find("-50 to -20 %      1"), std::string::npos) << text;
}

// The more records a run has, the less probable is a full queue for each of them.
TEST(summary, blocking_follows_from_the_records) {
  EXPECT_DOUBLE_EQ(blocking_for(1000), 1e-5);
  EXPECT_DOUBLE_EQ(blocking_for(0), 0.01);
  EXPECT_DOUBLE_EQ(blocking_for(1e12), 1e-9);
}

}  // namespace
}  // namespace weir::flow_accuracy

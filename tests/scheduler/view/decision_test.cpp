#include <weir/scheduler/view/decision.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace weir {
namespace {

using namespace std::chrono_literals;

// A move of one component from one number of cores to another.
decision move(objective goal, int from, int to, double predicted, std::optional<double> realised = std::nullopt) {
  const auto on = [](int cores) { return allotment{{{core_set::range(0, cores), 1}}, {}}; };
  decision d;
  d.from = on(from);
  d.to = on(to);
  d.predicted_gain = predicted;
  d.realised_gain = realised;
  d.goal = goal;
  return d;
}

TEST(words_of_a_gain, of_throughput_are_times_the_records_a_second) {
  const decision d = move(objective::throughput, 2, 3, 0.3, -0.25);
  EXPECT_EQ(predicted_words(d), "1.30 times the records a second");
  EXPECT_EQ(realised_words(d), "0.75 times the records a second");
}

TEST(words_of_a_gain, of_latency_are_a_part_of_the_latency) {
  for (const objective goal : {objective::latency, objective::latency_at(40)}) {
    const decision d = move(goal, 2, 3, 1 / 0.7 - 1, 0.25);
    EXPECT_EQ(predicted_words(d), "0.7 of the latency");
    EXPECT_EQ(realised_words(d), "0.8 of the latency");
  }
}

TEST(words_of_a_gain, of_the_fewest_cores_are_cores_and_whether_the_demand_is_met) {
  decision d = move(objective::fewest_cores({.rate = 40, .p99 = 400ms}), 5, 3, 0.6, 0.6);
  EXPECT_EQ(predicted_words(d), "2 cores fewer") << "nothing is known of its p99";
  d.predicted_p99 = 0.3;
  d.realised_p99 = 0.65;
  EXPECT_EQ(predicted_words(d), "2 cores fewer, p99 within 400 ms");
  EXPECT_EQ(realised_words(d), "2 cores fewer, p99 650 ms instead of 400 ms");
  d.realised_p99 = INFINITY;
  EXPECT_EQ(realised_words(d), "2 cores fewer, too slow for 40 records a second");
  EXPECT_EQ(predicted_words(move(objective::fewest_cores({.rate = 1}), 2, 3, 0.1)), "1 core more");
  EXPECT_EQ(predicted_words(move(objective::fewest_cores({.rate = 1}), 3, 3, 0.1)), "as many cores");
}

TEST(words_of_a_gain, are_empty_where_nothing_was_predicted_or_measured) {
  decision first = move(objective::throughput, 1, 2, 0);
  first.from = {};
  EXPECT_EQ(predicted_words(first), "");
  EXPECT_EQ(realised_words(move(objective::throughput, 1, 2, 0.5)), "");
  EXPECT_EQ(predicted_words(move(objective::throughput, 1, 2, NAN)), "") << "a planned move";
  EXPECT_EQ(predicted_words(move(objective::throughput, 1, 2, INFINITY)), "");
}

TEST(a_demand, is_said_with_its_rate_and_its_p99) {
  EXPECT_EQ(to_string(*objective::fewest_cores({.rate = 40, .p99 = 400ms}).demand()),
            "p99 at most 400 ms at 40 records a second");
  EXPECT_EQ(to_string(*objective::latency_at(1).demand()), "1 record a second");
  EXPECT_FALSE(objective::throughput.demand().has_value());
  EXPECT_FALSE(objective::latency.demand().has_value());
}

}  // namespace
}  // namespace weir

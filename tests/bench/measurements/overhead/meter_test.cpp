// A run with any wrong answer is not a measurement.
#include "bench/measurements/overhead/meter.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measurements/overhead/allocations.hpp"
#include "tests/support/refusal.hpp"

namespace weir::overhead {

long long allocations() noexcept { return 0; }  // the program's own operator new is not under test

namespace {

sample seen(const std::vector<std::int64_t>& numbers, std::int64_t records, bool in_order, bool right = true) {
  meter m(records, in_order);
  m.begin();
  for (const std::int64_t n : numbers) m.see(n, right);
  return m.result("it");
}

std::string refusal(const std::vector<std::int64_t>& numbers, bool in_order, bool right = true) {
  return weir::testing::refusal<std::runtime_error>([&] { seen(numbers, 4, in_order, right); });
}

TEST(a_meter, accepts_every_record_once_and_in_order) {
  EXPECT_EQ(refusal({0, 1, 2, 3}, true), weir::testing::nothing_refused);
}

TEST(a_meter, accepts_any_order_where_none_is_asked_for) {
  EXPECT_EQ(refusal({2, 0, 3, 1}, false), weir::testing::nothing_refused);
}

TEST(a_meter, refuses_records_out_of_order) { EXPECT_EQ(refusal({0, 2, 1, 3}, true), "it did not keep the order"); }

TEST(a_meter, refuses_a_record_that_was_lost) { EXPECT_EQ(refusal({0, 1, 3}, false), "it gave 3 records of 4"); }

TEST(a_meter, refuses_records_of_which_one_came_twice_in_the_place_of_another) {
  EXPECT_EQ(refusal({0, 1, 1, 3}, false), "it lost a record and gave another twice");
  EXPECT_EQ(refusal({0, 0, 3, 3}, false), "it lost a record and gave another twice") << "the sum is right";
}

TEST(a_meter, refuses_a_wrong_answer) { EXPECT_EQ(refusal({0, 1, 2, 3}, true, false), "it gave a wrong answer"); }

TEST(a_meter, says_what_a_run_took_however_few_records_it_had) {
  for (std::int64_t records = 1; records <= 30; ++records) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < records; ++i) numbers.push_back(i);
    const sample s = seen(numbers, records, true);
    EXPECT_GT(s.seconds, 0) << records;
    EXPECT_EQ(std::isnan(s.allocations_per_record), records < 10) << records;
  }
}

TEST(a_sample, divides_what_was_used_between_two_moments_by_the_records) {
  const usage from{};
  const usage to{from.at + std::chrono::seconds(2), 3, 4, 0};
  const sample s = sample_of(from, to, 10);
  EXPECT_DOUBLE_EQ(s.seconds, 2);
  EXPECT_DOUBLE_EQ(s.records_per_second, 5);
  EXPECT_DOUBLE_EQ(s.cpu_ns_per_record, 0.3e9);
  EXPECT_DOUBLE_EQ(s.switches_per_record, 0.4);
}

TEST(latencies, are_summed_up_by_median_and_99th_percentile_in_microseconds) {
  std::vector<double> nanoseconds;
  for (int i = 100; i >= 0; --i) nanoseconds.push_back(1000.0 * i);
  sample s;
  add_latencies(s, nanoseconds);
  EXPECT_DOUBLE_EQ(s.latency_p50_us, 50);
  EXPECT_DOUBLE_EQ(s.latency_p99_us, 99);
}

}  // namespace
}  // namespace weir::overhead

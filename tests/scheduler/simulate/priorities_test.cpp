#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "scheduler/simulate/simulated_network.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

// Components of one group that have other priorities than one another.
namespace weir::simulation {
namespace {

using namespace testing;

// A record takes one of two branches, which share one core. The box that chooses takes a moment outside the cores.
scenario two_branches(const simulated_component& first, const simulated_component& second, std::uint64_t records) {
  scenario s = network(1, records, {constant("route", 1e-6), first, second});
  s.components[0].blocking = 64;
  s.components[0].chooses = true;
  for (simulated_component& c : s.components) c.capacity = records + 1;
  s.links = {{-1, 0, 1}, {0, 1, 0.5}, {0, 2, 0.5}, {1, -1, 1}, {2, -1, 1}};
  return s;
}

allotment one_shared_core() {
  share outside;
  outside.outside = true;
  outside.width = 64;
  return {{outside, {}, {}}, {0}};
}

// While both have records, their parts of the time are as their priorities, whatever their invocations take.
TEST(simulated_priorities, are_parts_of_the_time) {
  for (const int weight : {1, 4, 30})
    for (const double seconds : {1e-3, 0.1, 5.0}) {
      scenario s = two_branches(constant("high", seconds), constant("low", 2 * seconds), 4000);
      s.components[1].priority = weight;
      s.components[2].priority = 2;  // not one for all, so that it is no order of turns
      s.validate();
      simulated_network of(s, 1);
      of.move_to(one_shared_core());
      std::array<double, 3> time{};
      while (time[1] + time[2] < 1000 * seconds && of.advance())
        if (of.ended()) time[of.ended()->component] += of.ended()->seconds;
      EXPECT_NEAR(time[1] / time[2], weight / 2.0, 0.06 * weight) << weight << ", " << seconds << " s";
    }
}

// In the limit the important branch waits only for the invocation that runs: Cobham's formula for priorities without
// interruption (Operations Research 2, 1954), of Poisson arrivals and exponential times.
TEST(simulated_priorities, let_the_important_records_wait_as_the_theory_of_queues_says) {
  const double rate = 0.35, busy = 2 * rate, residual = 2 * rate;  // of each branch; mean times are 1, of squares 2
  scenario s = two_branches(testing::exponential("high"), testing::exponential("low"), 100'000);
  s.coming.how = arrivals::kind::profile;
  s.coming.rates = {{0, 2 * rate}};
  s.components[1].priority = 1000;
  const simulated_result r = testing::run_on(s, one_shared_core());
  EXPECT_NEAR(r.waited[1], residual / (1 - rate), 0.05 * residual / (1 - rate));
  const double low = residual / (1 - rate) / (1 - busy);
  EXPECT_NEAR(r.waited[2], low, 0.1 * low);
}

// Both branches of one priority are served alike; more of it on both changes nothing.
TEST(simulated_priorities, that_are_all_the_same_change_nothing) {
  scenario s = two_branches(testing::exponential("a"), testing::exponential("b"), 5000);
  s.coming.how = arrivals::kind::profile;
  s.coming.rates = {{0, 0.8}};
  const simulated_result before = testing::run_on(s, one_shared_core());
  for (simulated_component& c : s.components) c.priority = 7;
  const simulated_result after = testing::run_on(s, one_shared_core());
  EXPECT_EQ(after.waited, before.waited);
  EXPECT_EQ(after.latency_p99, before.latency_p99);
}

// A light box is slowed down and never starved: within its part of the time its records come through.
TEST(simulated_priorities, starve_nobody) {
  scenario s = two_branches(constant("high", 0.01), constant("low", 0.01), 4000);
  s.components[1].priority = 9;
  simulated_network of(s, 1);
  of.move_to(one_shared_core());
  int since = 0, longest = 0, of_low = 0;
  while (of_low < 100 && of.advance())
    if (of.ended() && of.ended()->component == 2)
      since = 0, ++of_low;
    else if (of.ended() && of.ended()->component == 1)
      longest = std::max(longest, ++since);
  EXPECT_EQ(of_low, 100);
  EXPECT_LE(longest, 10) << "invocations of the other, nine for each of its own";
}

// In a chain the end of the stream goes first for some turns whatever its priority, as in a run: so records leave, and
// few of them wait in between.
TEST(simulated_priorities, leave_the_end_of_a_chain_its_turns) {
  scenario s = network(1, 500, {constant("first", 0.01), constant("last", 0.01)});
  for (simulated_component& c : s.components) c.capacity = 100;
  s.components[0].priority = 20;
  const simulated_result r = testing::run_on(s, {{{}, {}}, {0}});
  EXPECT_NEAR(r.throughput, 50, 1);
  EXPECT_LT(r.waited[1], 0.02);
}

TEST(simulated_priorities, are_from_1_to_1000) {
  for (const int wrong : {0, 1001, -3}) {
    scenario s = network(1, 5, {constant("a", 1)});
    s.components[0].priority = wrong;
    EXPECT_EQ(testing::refusal([&] { s.validate(); }),
              "component \"a\": priority is " + std::to_string(wrong) + ", expected was 1 to 1000");
  }
}

}  // namespace
}  // namespace weir::simulation

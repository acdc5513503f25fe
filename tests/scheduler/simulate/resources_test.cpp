#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include <weir/scheduler/policies/adaptive.hpp>
#include "scheduler/simulate/simulated_run.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

// Components whose invocations need a part of resources.
namespace weir::simulation {
namespace {

using testing::constant;

scenario needing(int lanes, double amount, double total, std::uint64_t records = 2000) {
  scenario s = testing::network(lanes, records, {constant("solve", 0.1)});
  s.components[0].max_width = lanes;
  s.components[0].sequential = true;
  s.resources = {{"memory", total}};
  s.components[0].needs = {{0, amount, 0}};
  return s;
}

// As many invocations at a time as the resource has amounts, whatever the lanes.
TEST(simulated_resources, let_run_as_many_invocations_as_they_have_amounts) {
  for (const int most : {1, 2, 3, 7}) {
    const scenario s = needing(8, 10, 10 * most + 5);
    const simulated_result r = testing::run_on(s, {{{core_set::range(0, 8), 8}}, {}});
    EXPECT_NEAR(r.throughput, 10 * most, 0.01 * r.throughput);
    EXPECT_EQ(r.resource_peaks[0], 10 * most);
  }
}

// Two components of one resource wait for each other, and neither is kept from it: a large need comes to its turn.
TEST(simulated_resources, starve_no_large_need) {
  scenario s = needing(8, 1, 8, 4000);
  s.components[0].cost = law_cost{{0.01}, 0, 0, 0, 0, {}};
  s.components[0].max_width = 4;
  s.components.push_back(constant("whole", 0.01));
  s.components[1].needs = {{0, 8, 0}};
  const simulated_result r = testing::run_on(s, {{{core_set::range(0, 4), 4}, {{4}, 1}}, {}});
  EXPECT_EQ(r.records, 4000u);
  EXPECT_GT(r.throughput, 0.5 / (0.01 + 0.01 / 4));
}

// No more is ever in use than there is, and every run ends. The networks are drawn, of three resources and five
// components, under a rule that moves cores.
TEST(simulated_resources, are_never_given_twice) {
  std::mt19937 random(9);
  for (int round = 0; round < 6; ++round) {
    scenario s = testing::network(2 + static_cast<int>(random() % 15), 500, {});
    s.resources = {{"a", 10}, {"b", 100}, {"c", 1}};
    for (int i = 0; i < 5; ++i) {
      simulated_component c = testing::exponential(std::string(1, static_cast<char>('p' + i)));
      c.max_width = 1 + static_cast<int>(random() % 8);
      for (std::size_t k = 0; k < s.resources.size(); ++k)
        if (random() % 2 == 0)
          c.needs.push_back({k, s.resources[k].total * static_cast<double>(1 + random() % 4) / 4, 0});
      s.components.push_back(c);
    }
    s.validate();
    const simulated_result r = run(s, 1, contender{adaptive{}});
    EXPECT_EQ(r.records, 500u);
    for (std::size_t k = 0; k < s.resources.size(); ++k) EXPECT_LE(r.resource_peaks[k], s.resources[k].total);
  }
}

// The rule knows them: a component whose resource lets two invocations run gets two lanes, and the rest goes elsewhere.
TEST(simulated_resources, are_known_to_the_rule) {
  scenario s = needing(16, 10, 25, 20'000);
  s.components.push_back(constant("next", 0.2));
  s.components[1].max_width = unlimited;
  s.components[1].sequential = true;
  s.validate();
  const simulated_result r = run(s, 1, contender{adaptive{}});
  EXPECT_GT(r.throughput, 0.95 * 20);  // two at a time of 0.1 s
  EXPECT_LE(r.decisions.back().to.components[0].width, 2);
}

TEST(simulated_resources, refuse_more_than_there_is) {
  EXPECT_EQ(testing::refusal([] { needing(2, 11, 10).validate(); }),
            "component \"solve\" needs 11 of memory, expected was 0 to its total of 10");
  scenario s = needing(2, 0, 10);
  s.components[0].phases[0].x = {input_range::shape::uniform, 1, 4, {}};
  s.components[0].needs[0].per_x = 3;
  const std::string why = testing::refusal([&] { testing::run_on(s, {{{{0}, 1}}, {}}); });
  EXPECT_EQ(why.find("component \"solve\" needs "), 0u) << why;
  EXPECT_NE(why.find("of memory at x = "), std::string::npos) << why;
  s = needing(2, 1, 10);
  s.components[0].needs.push_back({0, 1, 0});
  EXPECT_EQ(testing::refusal([&] { s.validate(); }), "component \"solve\" needs memory twice");
}

}  // namespace
}  // namespace weir::simulation

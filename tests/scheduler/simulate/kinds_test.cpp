#include <gtest/gtest.h>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include "scheduler/simulate/hindsight.hpp"
#include "tests/scheduler/kind_views.hpp"
#include "tests/scheduler/simulate/scenarios.hpp"

namespace weir::simulation {
namespace {

scenario receiver_on(const std::string& machine, int cores, std::uint64_t records) {
  scenario s;
  s.machine = machine;
  s.cores = cores;
  s.records = records;
  s.move_cost = 5e-4;
  for (const components::dvbs2_task& t : components::dvbs2_tasks) {
    simulated_component c = testing::constant(t.name, 1e-6 * t.performance);
    c.sequential = true;
    c.max_width = t.is_stateless ? cores : 1;
    c.kind_factors = {1, t.efficiency / t.performance};
    s.components.push_back(std::move(c));
  }
  return s;
}

// On a slow core an invocation takes its factor times as long; on a lane of both kinds as the law says.
TEST(simulated_kinds, take_their_factor_of_the_time) {
  scenario s = testing::network(4, 100, {testing::constant("a", 1)});
  s.machine = "core:4 pu:1 kinds:2xP,2xE";
  s.components[0].kind_factors = {1, 2.5};
  EXPECT_NEAR(testing::run_on(s, {{{{0}, 1}}, {}}).throughput, 1, 1e-9);
  EXPECT_NEAR(testing::run_on(s, {{{{3}, 1}}, {}}).throughput, 1 / 2.5, 1e-9);
  s.components[0].cost = law_cost{{1}, 1, 0, 0, 0, {}};
  EXPECT_NEAR(testing::run_on(s, {{{{1, 2}, 1}}, {}}).throughput, 1 + 1 / 2.5, 1e-9);
}

// The machine says that an E core has 0.745 of a P core's speed; the tasks have from 0.23 to 0.99 of it. All of it is
// learnt in the run, and it comes within 5 % of the optimum. A rule that takes all cores for alike has 0.7 of it.
TEST(simulated_kinds, of_the_receiver_are_learnt_within_its_run) {
  constexpr double optimum = 1 / 1341.9e-6;
  const scenario s = receiver_on("core:14 pu:1 kinds:6xP,8xE@0.745", 14, 2000);
  s.validate();
  const simulated_result learnt = run(s, 1, contender{adaptive{}});
  EXPECT_GT(learnt.throughput, .95 * optimum);
  EXPECT_LE(learnt.throughput, optimum);
  EXPECT_LT(run(s, 1, contender{equal_shares{}}).throughput, .8 * optimum);
}

// The references know the factors: what learns is not ahead of them by more than chance.
TEST(simulated_kinds, are_known_in_hindsight) {
  const scenario s = receiver_on("core:7 pu:1 kinds:3xP,4xE@0.745", 7, 500);
  const hindsight known = regret_of(s, 1, 0, objective::throughput);
  EXPECT_GT(known.best_fixed.throughput, .98 / 2722.1e-6);
  EXPECT_LT(run(s, 1, contender{adaptive{}}).throughput, known.best_fixed.throughput * 1.02);
}

TEST(simulated_kinds, must_be_as_many_as_the_machine_has) {
  scenario s = testing::network(4, 10, {testing::constant("a", 1)});
  s.machine = "core:4 pu:1 kinds:2xP,2xE";
  s.components[0].kind_factors = {1, 2, 3};
  const std::string said = testing::refusal([&] { run(s, 1, contender{equal_shares{}}); });
  EXPECT_NE(said.find("component \"a\" has factors of 3 kinds of cores, the machine has 2"), std::string::npos) << said;
}

}  // namespace
}  // namespace weir::simulation

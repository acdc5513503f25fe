#include "bench/weir/compare/compare_scenario.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <weir/scheduler/policies/adaptive.hpp>
#include <weir/scheduler/policies/equal_shares.hpp>
#include <weir/scheduler/policies/fixed_shares.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/weir/runs/timed_run.hpp"
#include "bench/weir/simulate/scenario_file.hpp"
#include "scheduler/simulate/hindsight.hpp"
#include "scheduler/simulate/invocation_times.hpp"
#include "scheduler/simulate/record_routes.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::program {
namespace {

using weir::testing::scratch_folder;

// Two loops, one inside the other: `b` sends half of its records back to itself, `c` a third back to `a`.
constexpr const char* loops = R"({"name": "loops", "cores": 4, "records": 40, "width": 2, "components": [
  {"name": "a", "cost": {"coefficients": [0, 1e-6]}, "x": {"uniform": [1, 9]}, "degree": 1, "noise": 0.2},
  {"name": "b", "cost": {"coefficients": [0, 1e-6]}, "x": {"uniform": [1, 9]}, "degree": 1, "chooses": true},
  {"name": "c", "cost": {"coefficients": [1e-6]}, "degree": 0, "chooses": true},
  {"name": "d", "cost": {"coefficients": [1e-6]}, "degree": 0, "phases": [{"factor": 2}, {}]}],
  "phases": [0, 20],
  "links": [{"from": "input", "to": "a"}, {"from": "a", "to": "b"}, {"from": "b", "to": "b", "records": 0.5},
   {"from": "b", "to": "c", "records": 0.5}, {"from": "c", "to": "a", "records": 0.3333333333},
   {"from": "c", "to": "d", "records": 0.6666666667}, {"from": "d", "to": "output"}]})";

std::string written(const scratch_folder& folder, const std::string& text) {
  const std::string path = folder.at("scenario.json");
  std::ofstream(path) << text;
  return path;
}

timed_run run_of(const compared_workload& work, const std::string& machine, const policy& rule = equal_shares{}) {
  options how;
  how.machine = machine::synthetic(machine);
  how.policy = rule;
  run_watchers nobody;
  nobody.on_result = [] {};
  return time_in_weir(work, std::move(how), objective::throughput, 1, nobody, rank_runs(false));
}

// By component, the predictor values of all its invocations in a simulation, in ascending order.
std::map<std::string, std::vector<double>> simulated_values(const simulation::scenario& s, std::uint64_t seed) {
  const simulation::record_routes routes(s, seed);
  const simulation::invocation_times times(s, seed, simulation::record_draws::predictor::known, nullptr);
  std::map<std::string, std::vector<double>> values;
  for (std::uint32_t i = 0; i < s.records; ++i) {
    simulation::token what;
    what.record = i;
    what.key = routes.first_key(i);
    for (int at = 0; at >= 0;) {
      const auto component = static_cast<std::size_t>(at);
      values[s.components[component].name].push_back(times.draws().x(component, what));
      std::size_t k = 0;
      while (routes.links()[k].from != at || routes.copies_on(k, what) == 0) ++k;
      what.key = routes.key_on(k, what.key, 1);
      at = routes.links()[k].to;
    }
  }
  for (auto& [name, of] : values) std::sort(of.begin(), of.end());
  return values;
}

TEST(a_live_scenario, takes_each_record_the_way_that_it_has_in_a_simulation_with_the_same_predictor_values) {
  const scratch_folder folder;
  const std::string path = written(folder, loops);
  const live_scenario live = read_live_scenario(path, objective::throughput, 7, std::nullopt);
  std::map<std::string, std::vector<double>> values;
  options how;
  how.machine = machine::synthetic(live.machine);
  how.policy = equal_shares{};
  how.on_observation = [&](std::string_view component, const observation& o) {
    values[std::string(component)].push_back(o.x);
  };
  execution run = start(live.work.net, std::move(how));
  for (std::size_t i = 0; i < live.work.records; ++i) run.send(live.work.input(i));
  run.close();
  std::vector<bool> came(live.work.records, false);
  for (const record& r : run) came.at(live.work.index_of(r)) = true;
  EXPECT_EQ(std::count(came.begin(), came.end(), true), 40);

  const auto expected = simulated_values(read_scenario(path, std::nullopt).at(7), 7);
  const run_report report = run.report();
  ASSERT_EQ(report.components.size(), 4u);
  for (const component_report& c : report.components) EXPECT_EQ(c.invocations, expected.at(c.name).size()) << c.name;
  for (auto& [name, seen] : values) {  // short invocations are sampled, so these are some of all
    std::sort(seen.begin(), seen.end());
    EXPECT_TRUE(std::includes(expected.at(name).begin(), expected.at(name).end(), seen.begin(), seen.end())) << name;
  }
}

TEST(a_live_scenario, sends_its_records_when_the_scenario_says_and_counts_latency_from_there) {
  const scratch_folder folder;
  const live_scenario live =
      read_live_scenario(written(folder, R"({"cores": 1, "records": 3, "arrivals": {"times": [0.01, 0.02, 0.06]},
        "components": [{"name": "a", "cost": {"coefficients": [0.002]}}]})"),
                         objective::throughput, 1, std::nullopt);
  EXPECT_EQ(live.work.due, (std::vector<double>{0.01, 0.02, 0.06}));
  const timed_run run = run_of(live.work, live.machine);
  EXPECT_GE(run.seconds, 0.06 - 0.01 + 0.002);
  for (const double latency : run.latencies) EXPECT_GE(latency, 0.002);
}

TEST(a_live_scenario, has_the_best_fixed_division_of_its_simulation) {
  const scratch_folder folder;
  const std::string path = written(folder, loops);
  const live_scenario live = read_live_scenario(path, objective::throughput, 3, 30);
  EXPECT_EQ(live.work.records, 30u);
  simulation::scenario s = read_scenario(path, std::nullopt).at(3);
  s.records = 30;
  const planned_policy best = live.work.best_fixed();
  EXPECT_EQ(best.text, to_string(simulation::regret_of(s, 3, 0, objective::throughput).fixed, live.work.components));
  const timed_run run = run_of(live.work, live.machine, *best.rule);
  EXPECT_EQ(run.latencies.size(), 30u);
}

struct refused_scenario {
  const char* keys;     // besides the components
  const char* one;      // keys of the second component
  const char* expects;  // in the message
};

TEST(a_live_scenario, that_only_a_simulation_can_run_is_refused_with_the_reason) {
  const refused_scenario all[] = {
      {R"("machine": "core:4 pu:1 kinds:2xP,2xE@0.5",)", "", "machine: cores of several kinds can only be simulated"},
      {R"("resources": {"memory": 4},)", "", "resources"},
      {R"("slow_downs": [{"factor": 2, "every": 1, "lasts": 1}],)", "", "slow_downs"},
      {R"("phases": [0, {"start": 5, "cores": 2}],)", "", "phases"},
      {"", R"(, "batch": {"most": 4})", "batch"},
      {"", R"(, "pressure": 1)", "pressure"},
      {R"("links": [{"from": "input", "to": "a"}, {"from": "a", "to": "b", "records": 2}, {"from": "b", "to": "output"}],)",
       "", R"("a" gives 2 records to "b")"},
      {R"("links": [{"from": "input", "to": "a"}, {"from": "a", "to": "output"}, {"from": "a", "to": "b"},
        {"from": "b", "to": "output"}],)",
       "", R"("a" gives 1 records to output)"},
      {R"("links": [{"from": "input", "to": "a"}, {"from": "a", "to": "b"}, {"from": "a", "to": "b"}, {"from": "b", "to": "output"}],)",
       "", R"("a" gives 1 records to "b")"},
      {R"("machine": "core:8 pu:1",)", "", "machine: a part of a machine's cores can only be simulated"},
      {R"("arrivals": {"rate": 1e-12},)", "", "arrivals: record 0 comes after"},
  };
  const scratch_folder folder;
  for (const refused_scenario& r : all) {
    const std::string path = written(folder, std::string(R"({"cores": 4, "records": 10, )") + r.keys +
                                                 R"("components": [{"name": "a", "cost": {"coefficients": [1]}},
                                             {"name": "b", "cost": {"coefficients": [1]})" +
                                                 r.one + "}]}");
    try {
      read_live_scenario(path, objective::throughput, 1, std::nullopt);
      ADD_FAILURE() << r.expects << " was accepted";
    } catch (const bad_input& e) {
      EXPECT_NE(std::string(e.what()).find(r.expects), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(path), std::string::npos) << e.what();
    }
  }
}

TEST(a_live_scenario, tries_policies_on_its_components_and_their_bounds) {
  const scratch_folder folder;
  const live_scenario live = read_live_scenario(written(folder, R"({"cores": 8, "records": 10, "components": [
        {"name": "a", "cost": {"coefficients": [1]}, "width": 1},
        {"name": "b", "cost": {"coefficients": [1]}, "width": 4}]})"),
                                                objective::throughput, 1, std::nullopt);
  EXPECT_NO_THROW(live.work.try_on(adaptive{objective::throughput}));
  EXPECT_NO_THROW(live.work.try_on(fixed_shares{{"b", 4, 4}}));
  EXPECT_THROW(live.work.try_on(fixed_shares{{"a", 2, 2}}), std::invalid_argument) << "a has one lane";
}

TEST(a_live_scenario, has_a_best_fixed_division_where_its_arrivals_can_be_simulated) {
  const scratch_folder folder;
  const std::string path =
      written(folder, R"({"cores": 4, "records": 10, "components": [{"name": "a", "cost": {"coefficients": [1]}}]})");
  EXPECT_TRUE(read_live_scenario(path, objective::throughput, 1, std::nullopt).work.best_fixed);
  EXPECT_TRUE(read_live_scenario(path, objective::latency_at(0.5), 1, std::nullopt).work.best_fixed);
  EXPECT_FALSE(read_live_scenario(path, objective::latency, 1, std::nullopt).work.best_fixed)
      << "each record enters when the last is out";
}

}  // namespace
}  // namespace weir::program

#include <string>

#include "tests/bench/weir/command.hpp"

namespace weir::testing::compare_test {
namespace {

using nlohmann::json;

TEST(weir_compare, has_no_best_fixed_division_of_boxes_in_any_number_of_lanes) {
  const outcome o = run_weir("compare --json --records 4 --scale 0.002 --repeat 1 --workload few");
  ASSERT_EQ(o.code, 0) << o.err;
  const json all = o.json();
  ASSERT_EQ(all.at("policies").size(), 2u);
  EXPECT_EQ(all.at("policies")[0].at("policy"), "equal");
  EXPECT_EQ(all.at("policies")[1].at("policy"), "adaptive");
}

TEST(weir_compare, help_lists_every_option_workload_and_policy) {
  const outcome o = run_weir("compare --help");
  EXPECT_EQ(o.code, 0);
  for (const char* what : {"--workload",     "--scenario",   "--policies",
                           "--fixed",        "--objective",  "--repeat",
                           "--records",      "--scale",      "--machine",
                           "--estimator",    "--seed",       "--report",
                           "--trace",        "--out",        "--json",
                           "matmul",         "swap",         "openmp",
                           "mixed",          "emulated",     "phases",
                           "fanout",         "few",          "sykora",
                           "best-fixed",     "free-for-all", "best-fixed-by-model",
                           "latency_at:RATE"})
    EXPECT_NE(o.out.find(what), std::string::npos) << what;
}

// The stable keys of a policy and the kind of each value.
void expect_policy(const json& p, const std::string& name, bool of_one_round) {
  EXPECT_EQ(p.at("policy"), name);
  EXPECT_TRUE(p.at("ran").is_string());
  const json& rate = p.at("throughput_per_second");
  EXPECT_GT(rate.at("min").get<double>(), 0);
  EXPECT_LE(rate.at("min").get<double>(), rate.at("median").get<double>());
  EXPECT_LE(rate.at("median").get<double>(), rate.at("max").get<double>());
  const json& ratio = p.at("ratio_to_baseline");
  EXPECT_GT(ratio.at("median").get<double>(), 0);
  EXPECT_EQ(ratio.at("low").is_null(), of_one_round) << "one round tells no interval";
  EXPECT_EQ(ratio.at("high").is_null(), of_one_round);
  if (!of_one_round) {
    EXPECT_LE(ratio.at("low").get<double>(), ratio.at("median").get<double>());
    EXPECT_LE(ratio.at("median").get<double>(), ratio.at("high").get<double>());
  }
  EXPECT_GT(p.at("latency_seconds").at("mean").get<double>(), 0);
  EXPECT_LE(p.at("latency_seconds").at("p50").get<double>(), p.at("latency_seconds").at("p99").get<double>());
  EXPECT_EQ(p.at("checks").at("wrong"), 0);
  EXPECT_EQ(p.at("moves").is_null(), name == "free-for-all");
}

class real_workload : public ::testing::TestWithParam<const char*> {};

TEST_P(real_workload, gives_right_results_under_every_policy_and_the_stable_keys) {
  const scratch_folder folder;
  const std::string one = GetParam() == std::string("mixed") ? "fixed:square=1" : "fixed:first=1";
  const outcome o = run_weir(
      "compare --json --records 8 --scale 0.2 --repeat 2 --policies equal,adaptive,free-for-all "
      "--fixed " +
      one.substr(6) + " --workload " + std::string(GetParam()) + " --out " + folder.at("out.json") + " --report " +
      folder.at("report.json"));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  const json all = o.json();
  EXPECT_EQ(all.at("workload"), GetParam());
  EXPECT_EQ(all.at("records"), 8);
  EXPECT_EQ(all.at("rounds"), 2);
  EXPECT_EQ(all.at("baseline"), "equal");
  EXPECT_EQ(all.at("emulated"), false);
  const std::string names[] = {"equal", "adaptive", "free-for-all", one};
  ASSERT_EQ(all.at("policies").size(), 4u);
  ASSERT_EQ(all.at("runs").size(), 8u);
  for (std::size_t i = 0; i < 4; ++i) {
    expect_policy(all.at("policies")[i], names[i], false);
    EXPECT_EQ(all.at("policies")[i].at("checks").at("results"), 16);
    EXPECT_TRUE(all.at("policies")[i].at("ratio_to_best_fixed").is_null());
  }
  for (std::size_t i = 0; i < 8; ++i) {  // interleaved: a round of all, then the next
    const json& run = all.at("runs")[i];
    EXPECT_EQ(run.at("policy"), names[i % 4]);
    EXPECT_EQ(run.at("round"), i / 4 + 1);
    EXPECT_EQ(run.at("records"), 8);
    EXPECT_EQ(run.at("allotments").empty(), i % 4 == 2);
    EXPECT_TRUE(run.at("foreign_load").is_null() || run.at("foreign_load").is_number());
  }
  const auto summary = all.at("summary").get<std::string>();
  for (const std::string& policy : {std::string("adaptive"), std::string("free-for-all: "), one + ": "})
    EXPECT_NE(("\n" + summary).find("\n" + policy), std::string::npos) << policy << " is not in " << summary;
  EXPECT_EQ(parsed(contents(folder.at("out.json"))), all);
  const json page = parsed(contents(folder.at("report.json")));
  ASSERT_EQ(page.at("runs").size(), 3u) << "the free-for-all has no run that weir could show";
  for (const std::size_t i : {0, 1, 2}) {
    const json& run = page.at("runs")[i];
    EXPECT_EQ(run.at("name"), names[i == 2 ? 3 : i]);
    EXPECT_EQ(run.at("report").at("decisions"), all.at("runs")[i == 2 ? 3 : i].at("allotments"));
  }
  EXPECT_EQ(page.at("tables")[0].at("rows").size(), 4u);
}

INSTANTIATE_TEST_SUITE_P(weir_compare, real_workload, ::testing::Values("matmul", "swap", "openmp", "mixed"));

TEST(weir_compare, runs_a_scenario_whose_name_and_machine_are_those_of_the_file) {
  const outcome o = run_weir("compare --json --records 12 --repeat 1 --scenario " + std::string(WEIR_SCENARIOS) +
                             "/loop-16.json --objective fewest_cores:60:600ms");
  ASSERT_EQ(o.code, 0) << o.err;
  const json all = o.json();
  EXPECT_EQ(all.at("workload"), "loop-16");
  EXPECT_EQ(all.at("cores"), 16);
  EXPECT_EQ(all.at("records"), 12);
  ASSERT_EQ(all.at("policies").size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(all.at("policies")[i].at("policy"), (std::vector{"equal", "best-fixed", "adaptive"})[i]);

  const outcome both = run_weir("compare --workload few --scenario x.json");
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("--scenario"), std::string::npos) << both.err;
}

class emulated_workload : public ::testing::TestWithParam<const char*> {};

TEST_P(emulated_workload, runs_under_every_policy_but_the_free_for_all) {
  const outcome o =
      run_weir("compare --json --records 12 --scale 0.02 --repeat 1 --workload " + std::string(GetParam()));
  ASSERT_EQ(o.code, 0) << o.err;
  const json all = o.json();
  EXPECT_EQ(all.at("emulated"), true);
  const char* const names[] = {"equal", "best-fixed", "adaptive"};
  ASSERT_EQ(all.at("policies").size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    expect_policy(all.at("policies")[i], names[i], true);
    EXPECT_TRUE(all.at("policies")[i].at("ratio_to_best_fixed").is_object());
  }
  EXPECT_EQ(all.at("policies")[1].at("ran").get<std::string>().rfind("fixed:", 0), 0u);
  EXPECT_EQ(all.at("policies")[1].at("ratio_to_best_fixed").at("median"), 1.0);
}

INSTANTIATE_TEST_SUITE_P(weir_compare, emulated_workload, ::testing::Values("emulated", "phases", "fanout", "sykora"));

// For three boxes on four cores the best is known by hand: the long box that more cores divide gets two.
TEST(weir_compare, finds_the_best_fixed_division_of_an_emulated_workload_by_arithmetic) {
  const outcome o = run_weir("compare --records 6 --scale 0.01 --repeat 1 --workload sykora");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("best-fixed: fixed:none=1,half=1,all=2"), std::string::npos) << o.out;
  for (const char* what : {"\nworkload  policy", "\nsykora    equal", "\nsykora    adaptive", "4 cores", "1 round",
                           "of one round, which tells no interval", "in queue", "\nin queue: from send to result",
                           " times equal, one round"})
    EXPECT_NE(o.out.find(what), std::string::npos) << what << " is not in\n" << o.out;
  EXPECT_EQ(o.out.find(" ["), std::string::npos) << o.out;
}

// The receiver needs fewer cores than it has tasks, and its boxes take the time of the kind that they run on.
TEST(weir_compare, runs_the_receiver_on_cores_of_two_kinds) {
  const outcome o = run_weir(
      "compare --workload dvbs2 --machine 'core:5 pu:1 kinds:2xP,3xE@0.745' --records 4 --scale 0.02 --repeat 1");
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* what : {"5 cores (2 P, 3 E)", "\ndvbs2     equal", "\ndvbs2     adaptive", "745.2 records a second"})
    EXPECT_NE(o.out.find(what), std::string::npos) << what << " is not in\n" << o.out;
}

// best-fixed-by-model has the objective of adaptive. Records come as the objective says, and all of them come out.
TEST(weir_compare, runs_adaptive_and_best_fixed_by_model_for_every_objective) {
  for (const std::string objective : {"throughput", "latency", "latency_at:400"}) {
    SCOPED_TRACE(objective);
    const outcome o = run_weir(
        "compare --json --records 12 --scale 0.01 --repeat 1 --workload sykora "
        "--policies equal,best-fixed-by-model,adaptive --objective " +
        objective);
    ASSERT_EQ(o.code, 0) << o.err;
    const json all = o.json();
    EXPECT_EQ(all.at("objective"), objective);
    ASSERT_EQ(all.at("policies").size(), 3u);
    const char* const names[] = {"equal", "best-fixed-by-model", "adaptive"};
    for (std::size_t i = 0; i < 3; ++i) {
      expect_policy(all.at("policies")[i], names[i], true);
      EXPECT_EQ(all.at("runs")[i].at("records"), 12);
    }
    EXPECT_LE(all.at("policies")[1].at("moves"), 1) << "it decides once";
  }
}

TEST(weir_compare, says_of_fewest_cores_how_many_times_fewer) {
  const outcome o = run_weir(
      "compare --records 12 --scale 0.01 --repeat 1 --workload sykora --policies equal,adaptive "
      "--objective fewest_cores:400");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find(" times fewer cores than equal, one round"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("x: how many times fewer cores than the other"), std::string::npos) << o.out;
}

TEST(weir_compare, of_one_record_is_whole) {
  const scratch_folder folder;
  for (const std::string workload : {"swap --scale 0.1", "phases --scale 0.1", "sykora --scale 0.1"}) {
    const outcome o = run_weir("compare --repeat 1 --records 1 --policies adaptive --report " + folder.at("one.json") +
                               " --workload " + workload);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(parsed(contents(folder.at("one.json"))).at("runs").size(), 1u) << workload;
  }
}

// Refused before anything runs: exit code 2, no file, and one line that names the input.
struct bad_comparison {
  const char* what;
  const char* arguments;
  const char* names;
};

void PrintTo(const bad_comparison& c, std::ostream* to) { *to << c.arguments; }

class bad_compare : public ::testing::TestWithParam<bad_comparison> {};

TEST_P(bad_compare, is_one_line_and_exit_code_2) {
  const scratch_folder folder;
  expect_refused("compare --report " + folder.at("report.json") + " " + GetParam().arguments, GetParam().names);
  EXPECT_TRUE(folder.is_empty());
}

const bad_comparison cases[] = {
    {"workload", "--workload matmull", "there are matmul, swap, openmp, mixed, emulated, phases, fanout, few, sykora"},
    {"policy", "--policies equal,adaptiv",
     "\"adaptiv\"; there are adaptive, best-fixed-by-model, equal, shared, fixed, best-fixed, free-for-all"},
    {"policy_empty", "--policies ''", "--policies"},
    {"policy_twice", "--policies equal,equal", "equal is listed twice"},
    {"fixed_without_shares", "--policies equal,fixed", "--fixed"},
    {"fixed_unknown_component", "--fixed firs=1", "weir: --fixed firs=1: "},
    {"fixed_twice", "--fixed first=1 --fixed first=1", "it is given twice"},
    {"fixed_too_many_cores", "--fixed first=100000", "weir: --fixed first=100000: 100000"},
    {"fixed_no_number", "--fixed first=many", "weir: --fixed first=many: \"many\" is not a whole number"},
    {"fixed_more_lanes_than_cores", "--fixed first=1x2", "2 is not in 1..1"},
    {"fixed_lanes_of_a_serial_box", "--workload sykora --fixed all=2x2", "may have 1 lane and is given 2"},
    {"free_for_all_of_emulated", "--workload phases --policies equal,free-for-all", "emulated"},
    {"best_fixed_of_too_many", "--workload phases --machine 'core:400 pu:1' --policies best-fixed", "too many"},
    {"objective", "--objective speed", "\"speed\"; there are throughput, latency, latency_at:RATE"},
    {"objective_without_rate", "--objective latency_at:", "--objective latency_at:"},
    {"objective_rate_0", "--objective latency_at:0", "--objective latency_at:0: 0"},
    {"objective_rate_junk", "--objective latency_at:often", "\"often\""},
    {"objective_two_rates", "--objective latency_at:4,5", "latency_at:4,5"},
    {"free_for_all_for_latency", "--objective latency --policies free-for-all", "not with objective latency"},
    {"best_fixed_of_emulated_for_latency", "--workload sykora --objective latency --policies best-fixed",
     "known for objective throughput only"},
    {"repeat", "--repeat 0", "--repeat: 0"},
    {"seed_negative", "--seed -1", "--seed: -1 is not in"},
    {"records", "--records -3", "--records: -3"},
    {"scale", "--scale 0", "--scale: 0"},
    {"scale_nan", "--scale nan", "--scale"},
    {"machine_of_real", "--machine 'core:4 pu:1'", "runs on real cores"},
    {"machine_of_emulated", "--workload phases --machine local", "--machine local"},
    {"machine_junk", "--workload phases --machine 'core four'", "core four"},
    {"machine_too_small", "--workload phases --machine 'core:3 pu:1'", "4 components"},
    {"estimator", "--estimator guess", "guess"},
    {"unwritable", "--out /nowhere/at/all.json", "/nowhere/at/all.json"},
};

INSTANTIATE_TEST_SUITE_P(weir_compare, bad_compare, ::testing::ValuesIn(cases),
                         [](const auto& of) { return std::string(of.param.what); });

TEST(weir_compare, refuses_one_file_for_both_outputs) {
  const scratch_folder folder;
  expect_refused("compare --out " + folder.at("same.json") + " --report " + folder.at("same.json"), "both are");
  EXPECT_TRUE(folder.is_empty());
}

}  // namespace
}  // namespace weir::testing::compare_test

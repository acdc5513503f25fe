#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/support/bad_input.hpp"
#include "bench/weir/common/controller_constants.hpp"
#include "bench/weir/common/named_policy.hpp"
#include "tests/bench/weir/command.hpp"
#include "tests/support/refusal.hpp"

namespace weir::testing {
namespace {

// Fits any field.
struct anything {
  template <typename T>
  operator T() const;
};

// The number of fields of a struct without constructors: as many as can be given in braces.
template <typename Struct, typename... Given>
consteval std::size_t fields() {
  if constexpr (requires { Struct{Given{}..., anything{}}; })
    return fields<Struct, Given..., anything>();
  else
    return sizeof...(Given);
}

std::string refused(const std::string& text) {
  controller_options to;
  return refusal<program::bad_input>([&] { program::set_controller(to, text); });
}

// Every constant of the controller is in the table, once, and setting one changes that one alone. The table allows
// exactly the values that the controller allows.
TEST(controller_constants, are_all_there_and_can_be_set) {
  const auto& all = program::controller_constants();
  EXPECT_EQ(all.size(), fields<controller_options>());
  for (const auto& one : all) {
    controller_options changed;
    const double other = one.get(changed) == one.least ? one.most : one.least;
    program::set_controller(
        changed, one.name + "=" +
                     (one.what == program::controller_constant::kind::flag ? (other != 0 ? "true" : "false")
                                                                           : (std::ostringstream() << other).str()));
    for (const auto& each : all) {
      const double expected = each.name == one.name ? other : each.get({});
      EXPECT_NEAR(each.get(changed), expected, 1e-6) << "after " << one.name << " was set: " << each.name;
    }
    for (const double bound : {one.least, one.most}) {
      one.set(changed, bound);
      EXPECT_NO_THROW(changed.validate()) << one.name << " = " << bound;
    }
    EXPECT_NE(program::controller_help().find("\n  " + one.name + " "), std::string::npos);
  }
}

// The error for an unknown name lists the constants; for a wrong value it gives the bounds.
TEST(controller_constants, errors_name_what_was_meant) {
  EXPECT_NE(refused("min_gian=1").find("no constant \"min_gian\"; there are min_gain, noise_weight, "),
            std::string::npos);
  EXPECT_NE(refused("zzz=1").find("there are min_gain, noise_weight, by_draws"), std::string::npos);
  EXPECT_NE(refused("min_gain=-1").find("--controller min_gain: \"-1\" was given, expected was 0"), std::string::npos);
  EXPECT_NE(refused("patience=1.5").find("expected was a whole number, 1 or more invocations"), std::string::npos);
  EXPECT_NE(refused("horizon=0").find("expected was 1e-09"), std::string::npos);
  EXPECT_NE(refused("by_draws=maybe").find("expected was false or true"), std::string::npos);
  for (const char* text : {"min_gain", "=1", "", "min_gain=", "min_gain=nan", "min_gain=1x", "min_gain=1e999"})
    EXPECT_NE(refused(text), nothing_refused) << text;
}

// Three components on twelve cores of which one becomes slow after a third of the records.
class simulate_options : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_.at(name)) << text;
    return folder_.at(name);
  }
  // `more`: further keys, or other phases.
  std::string changing(const std::string& more = "") {
    const bool has_phases = more.find("\"phases\": [0") != std::string::npos;
    return file("s.json", R"({"cores": 12, "records": 900, "move_cost": 0.01)" + more +
                              (has_phases ? "" : R"(, "phases": [0, 300])") + R"(, "components": [
      {"name": "a", "cost": {"coefficients": [0.1], "alpha": 0.98}, "noise": 0.03, "phases": [{}, {"factor": 4}]},
      {"name": "b", "cost": {"coefficients": [0.2], "alpha": 0.98}, "noise": 0.03},
      {"name": "c", "cost": {"coefficients": [0.1], "alpha": 0.98}, "noise": 0.03}]})");
  }
  nlohmann::json of(const std::string& options) {
    const std::string policy = options.find("--policy") == std::string::npos ? "--policy adaptive " : "";
    return run_weir("simulate " + changing() + " --json " + policy + options).json();
  }
  void expect_invalid(const std::string& options, const std::string& part) {
    expect_refused("simulate " + changing() + " " + options, part);
  }
  scratch_folder folder_;
};

// Every objective that the commands know is accepted, and its result names it. A clairvoyant that is judged by latency
// has none worse than the best for throughput.
TEST_F(simulate_options, takes_every_objective) {
  for (std::string name : program::objective_names()) {
    if (const auto at = name.find("RATE"); at != std::string::npos) name.replace(at, 4, "12");
    if (const auto at = name.find("[:P99]"); at != std::string::npos) name.replace(at, 6, ":2s");
    const auto json = of("--objective " + name);
    EXPECT_EQ(json["objective"], name);
    EXPECT_GT(json["policies"][0]["throughput_per_second"].get<double>(), 0) << name;
  }
  const auto latency = [&](const std::string& objective) {
    return run_weir("simulate " + changing() + " --json --policy best-fixed --objective " + objective)
        .json()["policies"][0]["latency_seconds"]["mean"]
        .get<double>();
  };
  EXPECT_LE(latency("latency"), latency("throughput"));
  expect_invalid("--objective speed", "there is no objective \"speed\"; there are throughput");
}

// A policy that is listed twice is a mistake; "all" and one of these are not.
TEST_F(simulate_options, takes_each_policy_once) {
  for (const char* twice : {"--policy equal,equal", "--policy equal --policy equal"})
    expect_invalid(twice, "--policy: equal is listed twice");
  EXPECT_EQ(run_weir("simulate " + changing() + " --json --policy all,shared,equal").code, 0);
  expect_invalid("--seed -1", "--seed: -1 is not in 0..");
}

// Ratios compare the quantity that the objective asks for: for latency, the best's mean latency over the policy's.
TEST_F(simulate_options, ratios_are_those_of_the_objective) {
  const auto json =
      run_weir("simulate " + changing() + " --json --policy adaptive,clairvoyant --objective latency").json();
  const auto& [adaptive, best] = std::pair(json["policies"][0], json["policies"][1]);
  EXPECT_DOUBLE_EQ(adaptive["over_clairvoyant"].get<double>(),
                   best["latency_seconds"]["mean"].get<double>() / adaptive["latency_seconds"]["mean"].get<double>());
}

// For the fewest cores: the best's cores over the policy's, where both meet the demand.
TEST_F(simulate_options, of_the_fewest_cores_tells_how_many_were_used) {
  const auto json = of("--policy adaptive,best-fixed --objective fewest_cores:0.5:1000s");
  const auto& [adaptive, best] = std::pair(json["policies"][0], json["policies"][1]);
  EXPECT_LT(adaptive["cores_used"].get<double>(), json["cores"].get<double>());
  EXPECT_NEAR(adaptive["over_best_fixed"].get<double>(),
              best["cores_used"].get<double>() / adaptive["cores_used"].get<double>(), 0.03);
}

// The estimator is that of weir's own policies: another one changes the moves of adaptive, and not the paper's policy.
TEST_F(simulate_options, takes_every_estimator_for_its_own_policies) {
  const auto all = [&](const std::string& estimator) {
    return run_weir("simulate " + changing() + " --json --decisions --policy adaptive,paper --estimator " + estimator)
        .json();
  };
  const auto usual = all("weir");
  for (const char* name : {"simple-amdahl", "extended-amdahl", "extended-amdahl-online", "parallel-penalty"}) {
    const auto other = all(name);
    EXPECT_EQ(other["estimator"], name);
    EXPECT_NE(other["policies"][0]["decisions"], usual["policies"][0]["decisions"]) << name;
    EXPECT_EQ(other["policies"][1], usual["policies"][1]) << name;
  }
  expect_invalid("--estimator none", "--estimator: ");
}

// adaptive starts from saved models: with models of the truth its first division is not the equal one. A model of an
// unknown component is an error that lists the components of the scenario.
TEST_F(simulate_options, starts_from_saved_models) {
  std::string csv = "component,x,cores,seconds\n";
  for (const auto& [name, seconds] : std::vector<std::pair<std::string, double>>{{"a", .1}, {"b", .2}, {"c", .1}})
    for (int k = 0; k < 60; ++k) {
      const int p = 1 + k % 12;
      csv += name + ",1," + std::to_string(p) + "," + std::to_string(seconds * (0.98 / p + 0.02)) + "\n";
    }
  const std::string models = folder_.at("m.json");
  ASSERT_EQ(run_weir("fit " + file("seen.csv", csv) + " --degree 0 --save " + models).code, 0);
  const auto first = [&](const std::string& options) {
    return of("--decisions " + options)["policies"][0]["decisions"][0];
  };
  EXPECT_EQ(first("")["moved"], "a 4 cores x 1 lane {0-3}, b 4 cores x 1 lane {4-7}, c 4 cores x 1 lane {8-11}");
  EXPECT_EQ(first("--models " + models)["moved"],
            "a 3 cores x 1 lane {0-2}, b 6 cores x 1 lane {3-8}, c 3 cores x 1 lane {9-11}");

  const std::string strange = file("d.csv", "component,x,cores,seconds\nd,1,1,1\nd,1,2,0.6\nd,1,4,0.3\n");
  ASSERT_EQ(run_weir("fit " + strange + " --degree 0 --save " + models).code, 0);
  expect_invalid("--models " + models,
                 "has a model of \"d\", which is no component of the scenario; there are a, b, c");
  expect_invalid("--models " + strange, "d.csv: ");
  expect_invalid("--models /none.json", "/none.json");
}

// The constants of the controller change its moves: one that no gain satisfies makes no move.
TEST_F(simulate_options, takes_the_constants_of_the_controller) {
  EXPECT_GE(of("")["policies"][0]["moves"], 1);
  EXPECT_EQ(of("--controller min_gain=1000")["policies"][0]["moves"], 0);
  const outcome help = run_weir("simulate --controller help");
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.out.find("--controller NAME=VALUE"), 0u) << help.out;
  expect_invalid("--controller patience=0", "--controller patience: \"0\" was given");
}

// Each move is reported with its promised and its actual gain. Words list moves where they are few, or on demand, JSON
// on demand, and the report always, for the page draws them.
TEST_F(simulate_options, tells_what_moves_promised_and_gave) {
  const std::string command = "simulate " + changing() + " --policy adaptive";
  const auto json = of("--decisions")["policies"][0];
  ASSERT_EQ(json["decisions"].size(), json["moves"].get<std::size_t>() + 1);
  EXPECT_TRUE(json["decisions"][0]["promised_gain"].is_null());
  EXPECT_FALSE(of("")["policies"][0].contains("decisions"));
  const std::string text = run_weir(command).out, report = folder_.at("r.json");
  ASSERT_EQ(run_weir(command + " --report " + report).code, 0);
  const auto drawn = parsed(contents(report))["runs"][0]["report"]["decisions"];
  ASSERT_EQ(drawn.size(), json["decisions"].size());
  int measured = 0;
  for (std::size_t i = 1; i < drawn.size(); ++i) {
    const auto& told = json["decisions"][i];
    EXPECT_EQ(told["promised_gain"], drawn[i]["predicted_gain"]);
    EXPECT_EQ(told["realised_gain"], drawn[i]["realised_gain"]);
    EXPECT_EQ(told["taken_back"], drawn[i]["reverted"]);
    EXPECT_NE(text.find(told["moved"].get<std::string>()), std::string::npos) << text;
    EXPECT_NE(text.find(told["why"].get<std::string>()), std::string::npos) << text;
    measured += told["realised_gain"].is_number();
  }
  EXPECT_GE(measured, 1);
  EXPECT_NE(text.find("promised "), std::string::npos);

  // Many moves, or several seeds, are listed only when asked.
  EXPECT_EQ(run_weir(command + " --repeat 2").out.find("promised"), std::string::npos);
  EXPECT_NE(run_weir(command + " --repeat 2 --decisions").out.find("adaptive, seed 1: "), std::string::npos);
  const std::string many = run_weir("simulate " + changing() + " --policy hill-climbing,equaliser").out;
  EXPECT_NE(many.find("--decisions lists the "), std::string::npos) << many;
}

// Phases and slow-downs are read; an invalid one is named with the file and the place.
TEST_F(simulate_options, reads_what_phases_change) {
  const auto expect = [&](const std::string& more, const std::string& part) {
    expect_refused("simulate " + changing(more), part);
  };
  const auto second = [](const std::string& phase) { return R"(, "phases": [0, {"start": 300, )" + phase + "}]"; };
  const auto seconds = [&](const std::string& more) {
    return run_weir("simulate " + changing(more) + " --json --policy best-fixed")
        .json()["policies"][0]["seconds"]
        .get<double>();
  };
  const double usual = seconds("");
  EXPECT_GT(seconds(second(R"("cores": 6)")), 1.3 * usual);
  EXPECT_GT(seconds(second(R"("links": [{"from": "a", "to": "b", "records": 4}])")), 1.3 * usual);
  EXPECT_GT(seconds(R"(, "slow_downs": [{"factor": 3, "every": 1, "lasts": {"exponential": 100}}])"), 1.3 * usual);

  expect(second(R"("cores": 13)"), "s.json: phases[1]: \"cores\" is 13, expected was a whole number in 1..12");
  expect(R"(, "phases": [0, {"cores": 3}])", "s.json: phases[1]: key \"start\" is missing");
  expect(R"(, "phases": [0, "x"])", "s.json: phases[1]: ");
  expect(R"(, "phases": [0, 1.5])", "s.json: phases[1]: ");
  expect(second(R"("core": 3)"), "s.json: phases[1]: there is no key \"core\" here; there are cores, links, start");
  expect(second(R"("links": [{"from": "a", "to": "c"}])"),
         "s.json: phases[1]: links[0]: the scenario has no such link");
  expect(second(R"("links": [{"from": "input", "to": "a", "records": 2}])"), "s.json: phase 1: links: of a record");
  expect(R"(, "slow_downs": [{"factor": 3, "every": 1}])", "s.json: slow_downs[0]: key \"lasts\" is missing");
  expect(R"(, "slow_downs": [{"factor": 3, "every": 1, "lasts": 1, "components": ["z"]}])",
         "s.json: slow_downs[0]: components: there is no component \"z\"; there are a, b, c");
  expect(R"(, "slow_downs": [{"factor": 3, "every": 1, "lasts": 1, "phases": [2]}])",
         "expected was a list of phases in 0..1");
  expect(R"(, "slow_downs": [{"factor": 0, "every": 1, "lasts": 1}])", "slow_downs[0]: factor may be 0");
  // As many periods as a run of years has would be drawn one by one.
  expect_refused("simulate " + file("s.json", R"({"cores": 2, "records": 10, "components":
      [{"name": "a", "cost": {"coefficients": [1e6]}}],
      "slow_downs": [{"factor": 3, "every": 1e-6, "lasts": 1e-6}]})"),
                 "s.json: slow_downs[0]: its periods are too short for this run");
}

// Pressures and sensitivities are read. A negative one is refused by its place.
TEST_F(simulate_options, reads_how_components_slow_each_other_down) {
  const auto simulated = [&](const std::string& more) {
    return run_weir("simulate --json --policy equal " + file("s.json", R"({"cores": 8, "records": 200, "components": [
      {"name": "a", "cost": {"coefficients": [0.1]}, "pressure": 1},
      {"name": "b", "cost": {"coefficients": [0.1]})" + more + "}]}"));
  };
  const auto seconds = [](const outcome& got) { return got.json()["policies"][0]["seconds"].get<double>(); };
  EXPECT_GT(seconds(simulated(R"(, "sensitivity": 0.5)")), 1.5 * seconds(simulated("")));
  for (const char* key : {"pressure", "sensitivity"}) {
    const outcome got = simulated(", \"" + std::string(key) + "\": -1");
    EXPECT_EQ(got.code, 2);
    const std::string expected =
        "s.json: components[1]: \"" + std::string(key) + "\" is -1, expected was a number in 0..1000";
    EXPECT_NE(got.err.find(expected), std::string::npos) << got.err;
  }
}

}  // namespace
}  // namespace weir::testing

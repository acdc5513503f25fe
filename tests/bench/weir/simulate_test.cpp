#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/support/bad_input.hpp"
#include "bench/weir/simulate/scenario_file.hpp"
#include "tests/bench/weir/command.hpp"

namespace weir::testing {
namespace {

const std::string shipped = WEIR_SCENARIOS;

// Two components on four cores, quick to run; `more` are further keys.
std::string small(const std::string& more = "") {
  return R"({"cores": 4, "records": 300, "move_cost": 0.01)" + more + R"(, "components": [
    {"name": "a", "cost": {"coefficients": [0.01, 1e-4], "alpha": 0.9}, "x": {"uniform": [50, 150]}, "noise": 0.05},
    {"name": "b", "cost": {"coefficients": [0.05]}, "noise": 0.05}]})";
}

class simulate : public ::testing::Test {
 protected:
  std::string file(const std::string& text) {
    const std::string path = folder_.at("s.json");
    std::ofstream(path) << text;
    return path;
  }
  // An invalid scenario is refused in a line that contains `part`.
  void expect_invalid(const std::string& text, const std::string& part) {
    expect_refused("simulate " + file(text), part);
  }
  scratch_folder folder_;
};

// The same scenario and seed give the same text to the byte; another seed does not.
TEST_F(simulate, is_deterministic_to_the_byte) {
  const std::string path = file(R"({"draw": "K4", "stages": 3, "cores": 8, "records": 200})");
  const outcome one = run_weir("simulate " + path + " --json --seed 3"),
                two = run_weir("simulate " + path + " --json --seed 3");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out, two.out);
  EXPECT_NE(one.out, run_weir("simulate " + path + " --json --seed 4").out);
}

// On more machines a component that is on all of them does more; the prediction is near the simulation.
TEST_F(simulate, machines_multiply_and_are_as_predicted) {
  const std::string path = file(R"({"records": 1500, "bytes": 1000, "machines": {"cores": 3, "latency": 1e-4,
      "bytes_per_second": 1e8}, "components": [
      {"name": "work", "machine": "all", "width": 3, "capacity": 64, "cost": {"coefficients": [0.02]}},
      {"name": "store", "capacity": 64, "cost": {"coefficients": [0.0005]}}]})");
  const auto json = run_weir("simulate " + path + " --machines 1,2,4 --json").json();
  ASSERT_EQ(json["runs"].size(), 6u);
  double before = 0;
  for (const auto& run : json["runs"]) {
    if (run["policy"] != "adaptive") continue;
    const double rate = run["throughput_per_second"], predicted = run["predicted_per_second"];
    EXPECT_NEAR(rate / predicted, 1, 0.25) << run;
    EXPECT_GT(rate, 1.5 * before);
    before = rate;
  }
  expect_invalid(R"({"machines": {"count": 2}, "records": 10, "components": [
      {"name": "a", "machine": "some", "cost": {"coefficients": [1]}}]})",
                 "machine");
  EXPECT_EQ(run_weir("simulate " + path + " --policy best-fixed").code, 2);
  EXPECT_EQ(run_weir("simulate " + file(small()) + " --machines 2").code, 2);
}

// Every requested policy appears once per seed, with all its numbers; the ratios are those of the throughputs.
TEST_F(simulate, json_has_every_policy_and_seed) {
  const auto json = run_weir("simulate " + file(small(R"(, "fixed": {"a": 1, "b": 3})")) + " --json --repeat 2").json();
  ASSERT_EQ(json["policies"].size(), 2u * 15u);
  double best = 0, clairvoyant = 0;
  for (const auto& p : json["policies"]) {
    if (p["seed"] != 1) continue;
    if (p["name"] == "best-fixed") best = p["throughput_per_second"];
    if (p["name"] == "clairvoyant") clairvoyant = p["throughput_per_second"];
  }
  EXPECT_GE(clairvoyant, best);
  std::set<std::string> names;
  for (const auto& p : json["policies"]) {
    names.insert(p["name"]);
    for (const char* key : {"mean", "p50", "p99"}) EXPECT_GT(p["latency_seconds"][key].get<double>(), 0);
    EXPECT_EQ(p["records"], 300);
    EXPECT_TRUE(p["moves"].is_number_unsigned());
    if (p["seed"] != 1) continue;
    EXPECT_DOUBLE_EQ(p["over_clairvoyant"].get<double>(), p["throughput_per_second"].get<double>() / clairvoyant);
    EXPECT_DOUBLE_EQ(p["over_best_fixed"].get<double>(), p["throughput_per_second"].get<double>() / best);
  }
  EXPECT_EQ(names, (std::set<std::string>{"equal", "fixed", "best-fixed", "clairvoyant", "adaptive", "ds2",
                                          "hill-climbing", "equaliser", "saturation-aware", "reservation", "autotune",
                                          "half-efficiency", "model-bandit", "paper", "paper-bare"}));
  EXPECT_EQ(json["summary"].size(), 15u);
}

// The timeline is CSV with a row for each component and moment; at no moment does it use more cores than there are.
TEST_F(simulate, timeline_has_the_course_of_every_component) {
  const std::string csv = folder_.at("t.csv");
  ASSERT_EQ(run_weir("simulate " + file(small()) + " --policy adaptive --timeline " + csv).code, 0);
  const std::vector<std::string> lines = lines_of(contents(csv));
  ASSERT_GT(lines.size(), 200u);
  EXPECT_EQ(lines[0], "policy,seed,time,component,cores,width,predicted_per_second,observed_per_second");
  EXPECT_EQ(lines.size() % 2, 1u);
  for (std::size_t i = 1; i + 1 < lines.size(); i += 2) {
    const auto cores = [&](const std::string& line) {
      std::istringstream in(line);
      std::string field;
      for (int k = 0; k < 5; ++k) std::getline(in, field, ',');
      return std::stoi(field);
    };
    EXPECT_LE(cores(lines[i]) + cores(lines[i + 1]), 4) << lines[i];
  }
}

// An error in a scenario is reported with the file and the place in it.
TEST_F(simulate, a_bad_scenario_is_named_with_its_place) {
  expect_invalid(small(R"(, "corse": 4)"), "s.json: there is no key \"corse\" here; there are");
  expect_invalid(small(R"(, "arrivals": {"rate": "x"})"), "s.json: arrivals: \"rate\" is \"x\", expected was a number");
  expect_invalid(small(R"(, "arrivals": {"rate": 0})"), "the last rate is 0");
  expect_invalid(small(R"(, "links": [{"from": "input", "to": "c"}])"), "s.json: links[0]: \"to\" is");
  expect_invalid(small(R"(, "links": [{"from": "input", "to": "a"}])"),
                 "s.json: components[1]: no link leads from \"input\" to \"b\", expected were links");
  expect_invalid(small(R"(, "phases": [0, 400])"), "a phase begins with record 400");
  expect_invalid(R"({"components": [{"name": "a", "cost": {"coefficients": [1], "alpa": 1}}]})",
                 "s.json: components[0]: cost: there is no key \"alpa\" here");
  expect_invalid(R"({"components": [{"name": "a", "cost": {"coefficients": [1], "alpha": 2}}]})",
                 "s.json: components[0]: cost: \"alpha\" is 2, expected was a number in 0..1");
  expect_invalid(R"({"components": [{"name": "a", "cost": {"coefficients": [1], "alpha": 1, "alpha": 0}}]})",
                 "s.json: components[0]: cost: key \"alpha\" stands twice; once is allowed");
  expect_invalid(R"({"cores": 4, "components": [], "cores": 8})", "s.json: key \"cores\" stands twice");
  expect_invalid(R"({"components": [{"name": "a", "cost": {"coefficients": []}}]})",
                 "coefficients: an empty array was found, expected was a list of numbers");
  expect_invalid(R"({"components": [{"cost": {"table": [1]}}]})", "s.json: components[0]: key \"name\" is missing");
  expect_invalid(R"({"components": [{"name": "a", "cost": {"model": "none.json", "component": "a"}}]})", "none.json");
  expect_invalid(R"({"draw": "K9"})", "expected was one of K0, K1, K2, K3, K4");
  expect_invalid(R"({"draw": "K1", "components": []})", "there is no key \"components\" here");
  expect_invalid("{", "s.json: ");
  expect_invalid(small(R"(, "fixed": {"a": 9})"), "s.json: fixed_shares: 9 cores");
}

// A simulation computes with numbers of some size only. Others are refused where they stand, before anything runs.
TEST_F(simulate, numbers_that_nothing_can_be_computed_with_are_named_with_their_place) {
  const auto expect = [&](const std::string& text, const std::string& part) {
    expect_refused("simulate " + file(text) + " --policy all", part);
  };
  const auto of = [](const std::string& a, const std::string& more = "") {
    return R"({"cores": 4, "records": 20, "phases": [0, 10])" + more + R"(, "components": [{"name": "a", )" + a +
           R"(}, {"name": "b", "cost": {"coefficients": [0, 1]}, "phases": [{"x": 0.1}, {"x": 0.1}]}]})";
  };
  const std::string law = R"("cost": {"coefficients": [0, 1]})", in_a = "s.json: components[0]: ";
  expect(of(law + R"(, "phases": [{"x": 1e308}, {"x": 0.5}])"),
         in_a + "phases[0]: x: 1e+308 was found, expected was a number in 0..1e+30");
  expect(of(law + R"(, "phases": [{"x": 0.5}, {"x": 1e-320}])"), in_a + "phases[1]: x: 1e-320 was found");
  expect(of(law + R"(, "x": {"log_uniform": [1e-320, 1]})"), in_a + "x: log_uniform[0]: 1e-320 was found");
  expect(of(law + R"(, "x": {"values": [1, -1]})"), in_a + "x: values[1]: -1 was found");
  expect(of(law + R"(, "phases": [{"factor": 1e300}, {}])"), in_a + "phases[0]: \"factor\" is 1e+300");
  expect(of(law + R"(, "outliers": {"part": 0.5, "factor": 1e308})"), in_a + "outliers: \"factor\" is 1e+308");
  expect(of(R"("cost": {"coefficients": [1], "steps": [[0, 1e308]]})"), in_a + "cost: steps[0][1]: 1e+308 was found");
  expect(of(R"("cost": {"coefficients": [1, -1]}, "x": {"values": [0.1, 0.1, 0.1, 5]})"),
         "component \"a\" takes -4 s at x = 5 on 1 core, expected was 1e-18 to 1e+18 s");
  expect(of(law, R"(, "move_cost": 1e308)"), "s.json: \"move_cost\" is 1e+308");
  expect(of(law, R"(, "arrivals": {"rate": 1e-320})"), "s.json: arrivals: \"rate\" is 1e-320");
  expect(of(law, R"(, "arrivals": {"steps": [[0, 1], [1e308, 1]]})"),
         "s.json: arrivals: steps[1][0]: 1e+308 was found");
  expect(of(law, R"(, "links": [{"from": "input", "to": "a"}, {"from": "a", "to": "b", "records": 1e308},
                                {"from": "b", "to": "output"}])"),
         "s.json: links[1]: \"records\" is 1e+308");
}

// A simulation that would not end within a day is refused before it begins.
TEST_F(simulate, what_would_hardly_end_is_refused) {
  const auto links = [&](const std::string& more) {
    return small(R"(, "links": [{"from": "input", "to": "a"}, {"from": "a", "to": "b", )" + more + "}, " +
                 R"({"from": "b", "to": "output"}, {"from": "b", "to": "a", "records": 0.5}])");
  };
  expect_invalid(links(R"("records": 2)"), "a loop returns as many records as it takes");
  expect_invalid(links(R"("records": 1e8)"), "a loop returns");
  expect_invalid(small(R"(, "links": [{"from": "input", "to": "a"}, {"from": "a", "to": "b", "records": 1e9},
                                         {"from": "b", "to": "output"}])"),
                 "invocations, expected were 1e10 at most");
}

TEST_F(simulate, options_that_cannot_be_are_named) {
  const std::string path = file(small());
  for (const auto& [options, part] : std::vector<std::pair<std::string, std::string>>{
           {"--policy none", "there is no policy \"none\"; there are all, equal, fixed"},
           {"--policy fixed", "no key \"fixed\""},
           {"--repeat 0", "--repeat: 0 is not in 1.."},
           {"--width 0", "--width: 0 is not in 1.."},
           {"--cores 0", "--cores: 0 is not in 1..10000"},
           {"--timeline /none/t.csv", "--timeline: /none/t.csv cannot be written"},
           {"--report t.csv", "ends in neither .html"}}) {
    expect_refused("simulate " + path + " " + options, part);
  }
}

// --cores stands for the scenario's own number, also where the network is drawn; phases with more refuse it.
TEST_F(simulate, runs_on_the_number_of_cores_that_is_asked_for) {
  const std::string options = " --policy equal,adaptive --json";
  const auto ran = [&](const std::string& path, const std::string& more) {
    return run_weir("simulate " + path + options + more).json()["policies"];
  };
  const std::string path = file(small());
  const auto on_eight = ran(path, " --cores 8");
  EXPECT_NE(on_eight, ran(path, ""));
  const std::string drawn = R"({"draw": "K1", "stages": 3, "records": 200, "cores": )";
  const auto asked = ran(file(drawn + "4}"), " --cores 8");
  EXPECT_EQ(asked, ran(file(drawn + "8}"), ""));
  std::string larger = small();
  larger.replace(larger.find("4"), 1, "8");
  EXPECT_EQ(on_eight, ran(file(larger), ""));
  const std::string phases = R"(, "phases": [{"start": 0}, {"start": 100, "cores": 4}])";
  expect_refused("simulate " + file(small(phases)) + " --cores 2", "--cores: ");
}

// Recorded invocations and saved models are costs. A model learnt from recorded invocations gives the same results, and
// both files are found in the scenario's folder.
TEST_F(simulate, records_and_models_are_truths) {
  {
    std::ofstream csv(folder_.at("seen.csv"));
    csv << "component,x,cores,seconds\n";
    for (int p : {1, 2, 4})
      for (int x : {100, 200, 300}) csv << "a," << x << "," << p << "," << 1e-4 * x / p << "\n";
  }
  ASSERT_EQ(run_weir("fit " + folder_.at("seen.csv") + " --degree 1 --save " + folder_.at("m.json")).code, 0);
  const auto throughput = [&](const std::string& cost) {
    const std::string text =
        R"({"cores": 2, "records": 500, "components": [{"name": "a", "x": {"uniform": [100, 300]}, "cost": )" + cost +
        "}]}";
    return run_weir("simulate " + file(text) + " --policy best-fixed --json")
        .json()["policies"][0]["throughput_per_second"]
        .get<double>();
  };
  const double recorded = throughput(R"({"recorded": "seen.csv", "component": "a"})");
  EXPECT_NEAR(recorded, 100, 3);  // 10 ms at the mean x on two cores
  EXPECT_NEAR(throughput(R"({"model": "m.json", "component": "a"})"), recorded, 0.03 * recorded);
}

// A component takes its own time on the first kind. On another kind it takes the factor that the file says, or 1 over
// the speed of that kind.
TEST_F(simulate, takes_the_time_of_each_kind_of_cores) {
  const auto with = [&](const std::string& machine, const std::string& kinds) {
    return run_weir("simulate " +
                    file(R"({"cores": 2, "machine": ")" + machine + R"(", "records": 100, "components": [
                    {"name": "a", "cost": {"coefficients": [0.01]}, "degree": 0)" +
                         kinds + "}]}") +
                    " --policy equal --json");
  };
  const auto throughput = [&](const std::string& machine, const std::string& kinds) {
    const outcome o = with(machine, kinds);
    return o.code == 0 ? o.json().at("policies")[0].at("throughput_per_second").get<double>() : 0;
  };
  const std::string both = "core:2 pu:1 kinds:1xP,1xE@0.5";
  EXPECT_NEAR(throughput("core:2 pu:1", ""), 196, 4);
  EXPECT_NEAR(throughput(both, ""), 147, 4);
  EXPECT_NEAR(throughput(both, R"(, "kinds": {"E": 4})"), 123, 4);
  const outcome wrong = with(both, R"(, "kinds": {"M": 4})");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("kinds"), std::string::npos) << wrong.err;
}

// A component that runs on a device from some x on, and one whose need lets two run at a time.
std::string with_device(const std::string& device, const std::string& on, const std::string& needs) {
  return R"({"cores": 4, "records": 400, "devices": [)" + device + R"(], "resources": {"memory": 8}, "components": [
    {"name": "a", "cost": {"coefficients": [0, 1e-3]}, "x": {"uniform": [1, 20]}, "degree": 1, "device": )" +
         on + R"(},
    {"name": "b", "width": 4, "sequential": true, "cost": {"coefficients": [0.01], "alpha": 0}, "needs": )" +
         needs + "}]}";
}

TEST_F(simulate, knows_devices_and_resources) {
  const std::string path = file(with_device(R"({"name": "gpu0", "slots": 2, "fails": [[0, 0.5]]})",
                                            R"({"name": "gpu0", "cost": {"coefficients": [2e-3]}})",
                                            R"({"memory": {"plus": 3, "per_x": 0}})"));
  const auto json = run_weir("simulate " + path + " --policy adaptive --json").json();
  const auto& r = json["policies"][0];
  ASSERT_EQ(r["devices"].size(), 1u);
  const auto& d = r["devices"][0];
  EXPECT_EQ(d["component"], "a");
  EXPECT_EQ(d["device"], "gpu0");
  EXPECT_EQ(d["slots"], 2);
  EXPECT_GT(d["errors"].get<int>(), 0);
  EXPECT_GT(d["part"].get<double>(), 0);
  EXPECT_LT(d["part"].get<double>(), 1);
  EXPECT_EQ(r["resources"][0]["peak"], 6);
  const outcome text = run_weir("simulate " + path + " --policy adaptive");
  for (const char* part : {"a on gpu0: ", " of the time of 2 slots", "memory: at most 6 of 8 in use"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << text.out;
}

// Bad devices and resources are named with their place.
TEST_F(simulate, refuses_devices_and_resources_that_cannot_be) {
  const std::string gpu = R"({"name": "gpu0"})", on = R"({"name": "gpu0", "cost": {"coefficients": [1e-3]}})";
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {with_device(gpu, R"({"name": "gpu1", "cost": {"coefficients": [1]}})", "{}"),
            "s.json: components[0]: device: name: \"gpu1\" is none of \"devices\"; there are gpu0"},
           {with_device("", on, "{}"), "\"gpu0\" is none of \"devices\", of which there are none"},
           {with_device(R"({"name": "gpu0", "slots": 0})", on, "{}"),
            "s.json: devices[0]: \"slots\" is 0, expected was a whole number in 1..1024"},
           {with_device(gpu + ", " + gpu, on, "{}"),
            "s.json: devices[1]: \"name\" is \"gpu0\", expected was a name that no other device has"},
           {with_device(R"({"name": "gpu0", "fails": [[3, 2]]})", on, "{}"),
            "s.json: devices[0]: fails[0]: the device fails from 3 to 2, expected was a later time"},
           {with_device(gpu, R"({"name": "gpu0"})", "{}"), "key \"cost\" is missing"},
           {with_device(gpu, on, R"({"memory": 9})"),
            "component \"b\" needs 9 of memory, expected was 0 to its total of 8"},
           {with_device(gpu, on, R"({"disk": 1})"),
            "s.json: components[1]: needs: disk: \"disk\" is none of \"resources\"; there are memory"},
           {with_device(gpu, on, R"({}, "machine": 0)").insert(1, R"("machines": {"count": 2, "cores": 2}, )"),
            "machines: component \"a\" has a device, which simulations of machines do not know"},
           {with_device(gpu, on, R"({"memory": -1})"), "\"memory\" is -1, expected was"},
           {with_device(gpu, on, R"({}, "batch": {"most": 0})"), "\"most\" is 0, expected was"}})
    expect_invalid(text, part);
}

// Every shipped scenario can be read, and says which width it allows.
TEST(scenarios, that_are_shipped_can_be_read) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shipped)) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_NO_THROW(program::read_scenario(entry.path().string(), std::nullopt)) << entry.path();
    const program::scenario_file wide = program::read_scenario(entry.path().string(), 3);
    for (const auto& c : wide.at(1).components) EXPECT_EQ(c.max_width, 3);
    ++count;
  }
  EXPECT_GE(count, 15);
}

}  // namespace
}  // namespace weir::testing

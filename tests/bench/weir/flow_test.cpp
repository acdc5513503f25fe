#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/weir/command.hpp"

namespace weir::testing::flow_test {
namespace {

const std::string shipped = WEIR_NETWORKS "/example.json";

// Two components, 0.1 and 0.2 s; `more` are further keys.
std::string small(const std::string& more = "") {
  return R"({"cores": 2)" + more + R"(, "components": [
    {"name": "a", "service_rate": 10}, {"name": "b", "cost": {"table": [0.2]}}]})";
}

class flow : public ::testing::Test {
 protected:
  std::string file(const std::string& text) {
    const std::string path = folder_.at("n.json");
    std::ofstream(path) << text;
    return path;
  }
  scratch_folder folder_;
};

// The prediction for a given mapping is the one worked out by hand, at any rate, in JSON and in text.
TEST_F(flow, predicts_a_given_mapping) {
  const std::string path = file(small());
  const auto json = run_weir("flow " + path + " --mapping 'a=0 b=1' --rate 2.5 --json").json();
  EXPECT_EQ(json["kind"], "network");
  EXPECT_EQ(json["mapping_from"], "--mapping");
  const auto& p = json["predictions"][0];
  EXPECT_NEAR(p["throughput_per_second"].get<double>(), 5, 1e-9);
  EXPECT_EQ(p["bottleneck"], "component b");
  EXPECT_NEAR(p["latency_seconds"].get<double>(), 1 / 7.5 + 1 / 2.5, 1e-9);
  EXPECT_NEAR(p["components"][1]["utilisation"].get<double>(), .5, 1e-9);
  EXPECT_EQ(p["streams"][1]["places"], 4);
  EXPECT_NEAR(p["cores"][0].get<double>(), .25, 1e-9);

  const auto shared = run_weir("flow " + path + " --mapping 'a=0 b=0' --json").json()["predictions"][0];
  EXPECT_NEAR(shared["throughput_per_second"].get<double>(), 1 / .3, 1e-9);
  EXPECT_NEAR(shared["throughput_mu_n"].get<double>(), 2.5, 1e-9);
  const auto paper = run_weir("flow " + path + " --mapping 'a=0 b=0' --sharing mu/n --json").json()["predictions"][0];
  EXPECT_NEAR(paper["throughput_per_second"].get<double>(), 2.5, 1e-9);

  const outcome text = run_weir("flow " + path + " --mapping 'a=0 b=1'");
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"throughput  5 records/s", "bottleneck  component b", "by mu/n: 5", "a -> b"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
}

// The last of two equal keys would hide the first.
TEST_F(flow, takes_each_key_of_an_object_once) {
  std::string twice = small();
  twice.insert(1, "\"cores\": 3, \"cores\": 2, ");
  expect_refused("flow " + file(twice), "key \"cores\" stands twice; once is allowed");
}

// These would change nothing.
TEST_F(flow, takes_no_options_of_a_search_where_a_mapping_is_given) {
  const std::string path = file(small());
  for (const std::string option : {"--objective latency", "--min-throughput 3000", "--max-latency 1", "--top 3"})
    expect_refused(
        "flow " + path + " --mapping 'a=0 b=1' " + option,
        option.substr(0, option.find(' ')) + ": not without a search, since --mapping says where components run");
}

// The shipped example has a device, a choice, a loop and a join, and a search keeps to the slots.
TEST_F(flow, searches_the_example) {
  const auto json = run_weir("flow " + shipped + " --search --objective latency --top 3 --json").json();
  ASSERT_EQ(json["predictions"].size(), 3u);
  EXPECT_EQ(json["objective"], "latency");
  EXPECT_TRUE(json["complete"].get<bool>());
  double before = 0;
  for (const auto& p : json["predictions"]) {
    EXPECT_TRUE(p["feasible"].get<bool>());
    EXPECT_GE(p["latency_seconds"].get<double>(), before * (1 - 1e-9));
    before = p["latency_seconds"];
    EXPECT_EQ(p["mapping"][1]["device"], "fpga");
    EXPECT_LE(p["mapping"][1]["width"].get<int>(), 2);
    EXPECT_TRUE(p["mapping"][1]["cores"].empty());
  }
  const auto fewest = run_weir("flow " + shipped + " --search --objective cores_at:40 --json").json();
  EXPECT_GE(fewest["predictions"][0]["throughput_per_second"].get<double>(), 40 * (1 - 1e-9));
}

// Two components on one core and a device of one slot, each 0.1 s on cores; a takes 0.02 s on the device, b 0.05 s.
std::string either(const std::string& of_b = R"({"device": "gpu0", "cost": {"coefficients": [0.05]}})") {
  return R"({"cores": 1, "devices": [{"name": "gpu0"}], "components": [
    {"name": "a", "service_rate": 10, "on": {"device": "gpu0", "service_rate": 50}},
    {"name": "b", "service_rate": 10, "on": )" +
         of_b + "}]}";
}

// The slot goes to the component that leaves the core to the other with the most throughput; a mapping may say it.
TEST_F(flow, chooses_cores_or_a_device) {
  const std::string path = file(either());
  const auto found = run_weir("flow " + path + " --search --json").json();
  EXPECT_TRUE(found["complete"].get<bool>());
  const auto& p = found["predictions"][0];
  EXPECT_NEAR(p["throughput_per_second"].get<double>(), 10, 1e-9);
  EXPECT_EQ(p["mapping"][0].contains("device") + p["mapping"][1].contains("device"), 1);
  const auto given = run_weir("flow " + path + " --mapping 'a=0 b=:1' --json").json()["predictions"][0];
  EXPECT_EQ(given["mapping"][1]["device"], "gpu0");
  EXPECT_NEAR(given["components"][1]["service_rate"].get<double>(), 20, 1e-9);
  EXPECT_NE(run_weir("flow " + path + " --mapping 'a=:1 b=0'").out.find("a on gpu0, b {0}"), std::string::npos);
  expect_refused("flow " + path + " --mapping 'a=:1 b=:1'", "device \"gpu0\" has 1 slots and is to hold 2");
  expect_refused("flow " + file(either(R"({"device": "gpu7", "service_rate": 1})")),
                 "components[1]: on: device: \"gpu7\" is none of \"devices\"; there are gpu0");
  expect_refused("flow " + file(either(R"({"device": "gpu0", "service_rate": 1, "slots": 2})")),
                 "\"slots\" is 2, expected was");
  expect_refused("flow " + file(either(R"({"device": "gpu0"})")), "components[1]: on: no cost was found");
  expect_refused("flow " + file(either(R"({"device": "gpu0", "service_rate": 1}, "device": "gpu0")")),
                 "both device and on");
  expect_refused("flow " + file(either()) + " --machines 2x4",
                 "\"on\" of a component is not known on several machines");
}

// Two components in four lanes, 0.1 s each, on four cores: 10 units of memory for one record after the other.
std::string remembering(const std::string& needs_of_a, const std::string& needs_of_b, const std::string& total = "10") {
  return R"({"cores": 8, "resources": {"memory": )" + total + R"(}, "components": [
    {"name": "a", "cost": {"coefficients": [0.1]}, "x": {"uniform": [0, 2]}, "needs": {)" +
         needs_of_a + R"(}}, {"name": "b", "cost": {"coefficients": [0.1]}, "needs": {)" + needs_of_b + "}}]}";
}

// A resource bounds the invocations at a time of one component, and the time of all that need it together.
TEST_F(flow, knows_resources) {
  const auto predicted = [&](const std::string& a, const std::string& b) {
    const std::string path = file(remembering(a, b));
    return run_weir("flow " + path + " --mapping 'a=0-3:4 b=4-7:4' --json").json()["predictions"][0];
  };
  const auto free = predicted("", "");
  EXPECT_NEAR(free["throughput_per_second"].get<double>(), 40, 1e-9);
  const auto one_at_a_time = predicted(R"("memory": 6)", "");
  EXPECT_NEAR(one_at_a_time["throughput_per_second"].get<double>(), 10, 1e-9);
  EXPECT_EQ(one_at_a_time["bottleneck"], "component a");
  EXPECT_NEAR(one_at_a_time["components"][0]["load"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(one_at_a_time["cores"][0].get<double>(), .25, 1e-9);
  const auto together = predicted(R"("memory": {"plus": 1, "per_x": 1})", R"("memory": 3)");  // 1 to 3, 2 in the mean
  EXPECT_NEAR(together["throughput_per_second"].get<double>(), 10 / (2 * .1 + 3 * .1), 1e-6);
  EXPECT_EQ(together["bottleneck"], "resource memory of a, b");
  EXPECT_NEAR(together["components"][1]["load"].get<double>(), 1, 1e-6);
  EXPECT_NEAR(together["cores"][4].get<double>(), .5, 1e-6);

  const auto refused = [&](const std::string& a, const std::string& error, const std::string& total = "10") {
    expect_refused("flow " + file(remembering(a, "", total)), error);
  };
  refused(R"("disk": 1)", "components[0]: needs: disk: \"disk\" is none of \"resources\"; there are memory");
  refused(R"("memory": 11)", "components[0]: needs: at x = 0.0156");
  refused(R"("memory": 11)", "it needs 11 of \"memory\", expected was 0 to 10, the total");
  refused(R"("memory": -1)", "needs: \"memory\" is -1");
  refused(R"("memory": 1)", "resources: \"memory\" is 0", "0");
}

// Batches share what an invocation takes besides its records, and a record alone takes all of it.
TEST_F(flow, knows_batches) {
  const auto either = [](const std::string& more) {
    return R"({"cores": 1, "devices": [{"name": "gpu0", "slots": 1}], "components": [{"name": "a", "cost": {"coefficients": [1]},
      "batch": {"most": 32, "start": 8})" +
           more + "}]}";
  };
  const std::string path = file(either(""));
  const auto alone = run_weir("flow " + path + " --mapping a=0 --json").json()["predictions"][0];
  EXPECT_NEAR(alone["throughput_per_second"].get<double>(), 32 / 40.0, 1e-9);
  EXPECT_NEAR(alone["latency_seconds"].get<double>(), 9, 1e-9);
  const auto busy = run_weir("flow " + path + " --mapping a=0 --rate 0.5 --json").json()["predictions"][0];
  EXPECT_GT(busy["latency_seconds"].get<double>(), 16)
      << "it waits for half an invocation of some ten records and more";
  EXPECT_LT(busy["latency_seconds"].get<double>(), 40);
}

// Batches are the same queue on a device as on cores. A search goes by them: the device carries most in full batches,
// and cores complete a record alone first.
TEST_F(flow, knows_batches_on_a_device) {
  const auto predicted = [&](const std::string& words) {
    return run_weir("flow " + words + " --json").json()["predictions"][0];
  };
  const std::string path = file(
      R"({"cores": 1, "devices": [{"name": "gpu0"}], "components": [{"name": "a", "cost": {"coefficients": [1]},
      "batch": {"most": 32, "start": 0}, "on": {"device": "gpu0", "cost": {"coefficients": [0.125]}, "start": 4}}]})");
  const auto there = predicted(path + " --mapping a=:1");
  EXPECT_NEAR(there["throughput_per_second"].get<double>(), 32 / (4 + 32 * .125), 1e-9);
  EXPECT_NEAR(there["latency_seconds"].get<double>(), 4.125, 1e-9);
  EXPECT_EQ(predicted(path + " --search")["mapping"][0]["device"], "gpu0");
  EXPECT_EQ(predicted(path + " --search --objective latency")["mapping"][0].value("device", ""), "");
  EXPECT_EQ(predicted(path + " --search --objective latency_at:2")["mapping"][0]["device"], "gpu0");
  const auto either = [&](const std::string& where) {
    return predicted(file(R"({"cores": 1, "devices": [{"name": "gpu0"}], "components": [{"name": "a",)" + where +
                          R"( "cost": {"coefficients": [0.125]}, "batch": {"most": 32, "start": 4}}]})") +
                     " --rate 2");
  };
  EXPECT_NEAR(either(R"("device": "gpu0",)")["latency_seconds"].get<double>(),
              either("")["latency_seconds"].get<double>(), 1e-9);
  expect_refused("flow " + file(R"({"cores": 1, "devices": [{"name": "gpu0"}], "components": [{"name": "a",
      "service_rate": 1, "on": {"device": "gpu0", "service_rate": 1, "start": -1}}]})"),
                 "components[0]: on: \"start\" is -1");
}

// The needs on a device may differ from those on cores; without a word they are the same.
TEST_F(flow, chooses_a_device_by_its_memory) {
  const auto best = [&](const std::string& needs_there) {
    return run_weir("flow " +
                    file(R"({"cores": 2, "resources": {"memory": 4, "memory of gpu0": 4},
      "devices": [{"name": "gpu0", "slots": 4}], "components": [{"name": "a", "service_rate": 1, "needs": {"memory": 4},
      "on": {"device": "gpu0", "service_rate": 2)" +
                         needs_there + "}}]}") +
                    " --search --top 1 --json")
        .json()["predictions"][0]["throughput_per_second"]
        .get<double>();
  };
  EXPECT_NEAR(best(""), 2, 1e-9) << "one at a time on either";
  EXPECT_NEAR(best(R"(, "needs": {"memory of gpu0": 1})"), 8, 1e-9);
  EXPECT_NEAR(best(R"(, "needs": {"memory of gpu0": 2})"), 4, 1e-9);
}

// Links with parts, shares of the rest, and counts. Missing values are assumed, and the output says so.
TEST_F(flow, links_have_parts_of_a_gain_or_records) {
  const auto records = [&](const std::string& links) {
    const auto json = run_weir("flow " +
                               file(R"({"cores": 3, "components": [{"name": "a", "service_rate": 1, "gain": 3},
      {"name": "b", "service_rate": 1}, {"name": "c", "service_rate": 1}], "links": [{"from": "input", "to": "a"}, )" +
                                    links + "]}") +
                               " --mapping 'a=0 b=1 c=2' --rate 0.1 --json")
                          .json();
    std::vector<double> visits;
    for (const auto& c : json["predictions"][0]["components"]) visits.push_back(c["visits"]);
    visits.push_back(static_cast<double>(json["notes"].size()));
    return visits;
  };
  using numbers = std::vector<double>;
  EXPECT_EQ(records(R"({"from": "a", "to": "b"}, {"from": "a", "to": "c", "part": 0.5})"), (numbers{1, 1.5, 1.5, 0}));
  EXPECT_EQ(records(R"({"from": "a", "to": "b"}, {"from": "a", "to": "c"})"), (numbers{1, 1.5, 1.5, 1}));
  EXPECT_EQ(records(R"({"from": "a", "to": "b", "records": 1}, {"from": "a", "to": "c", "records": 1})"),
            (numbers{1, 1, 1, 0}));
}

// The output of a run and saved models are networks, too: the former as it ran, the latter as a chain.
TEST_F(flow, reads_what_weir_writes) {
  const std::string run = folder_.at("run.json"), models = folder_.at("models.json");
  ASSERT_EQ(
      run_weir("matmul --sizes-list 60,80 --repeat 5 --policy equal --json --save-model " + models + " > " + run).code,
      0);
  const auto report = run_weir("flow " + run + " --json").json();
  EXPECT_EQ(report["kind"], "report of a run");
  EXPECT_EQ(report["mapping_from"], "the file");
  EXPECT_EQ(report["predictions"][0]["components"].size(), 2u);
  EXPECT_GT(report["predictions"][0]["throughput_per_second"].get<double>(), 0);
  const auto saved = run_weir("flow " + models + " --cores 3 --search --top 2 --json").json();
  EXPECT_EQ(saved["kind"], "saved models");
  EXPECT_EQ(saved["predictions"].size(), 2u);
  EXPECT_EQ(saved["notes"][0], "a chain in the order of the file: models tell no links");
}

// On machines a record also costs its link: bytes over the bandwidth, one record at a time. The command proposes a
// placement with its gain, and none where nothing gains.
TEST_F(flow, predicts_machines_and_proposes_places) {
  const std::string path = file(R"({"bytes": 1e6, "machines": {"count": 2, "cores": 1, "latency": 1e-3,
      "bytes_per_second": 1e8}, "components": [{"name": "a", "service_rate": 10, "width": 1, "bytes": 100},
      {"name": "b", "service_rate": 10, "width": 1}]})");
  const auto json = run_weir("flow " + path + " --json").json();
  EXPECT_NEAR(json["throughput_per_second"].get<double>(), 5, 1e-9);
  ASSERT_TRUE(json["suggestion"].is_object());
  EXPECT_NEAR(json["suggestion"]["gain"].get<double>(), 1, 1e-6);
  EXPECT_NEAR(json["suggestion"]["steps"][0]["throughput_per_second"].get<double>(), 10, 1e-6);
  EXPECT_EQ(json["machines"].size(), 2u);
  const outcome text = run_weir("flow " + path);
  for (const char* part :
       {"on 2 machines of 1 core", "suggestion: 10 records/s instead of 5 (+100 %)", " at 1: 10 records/s"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
  // A network so slow that nothing is worth it, by the command line.
  const auto none = run_weir("flow " + path + " --machines '2x1 record_seconds=1' --json").json();
  EXPECT_TRUE(none["suggestion"].is_null());
  EXPECT_NE(run_weir("flow " + path + " --machines '2x1 record_seconds=1'").out.find("suggestion: none"),
            std::string::npos);
}

// The shipped example has a component on every machine.
TEST_F(flow, spreads_the_example_over_machines) {
  const std::string example = WEIR_NETWORKS "/machines.json";
  const auto four = run_weir("flow " + example + " --json").json();
  EXPECT_EQ(four["components"].size(), 6u);
  const auto one = run_weir("flow " + example + " --machines '1x48' --json").json();
  EXPECT_TRUE(one["between"].empty());
  EXPECT_GT(four["throughput_per_second"].get<double>(), 1.1 * one["throughput_per_second"].get<double>());
}

// The report of a run on ranks has machines, links, places and bytes.
TEST_F(flow, takes_the_machines_of_a_run_on_ranks) {
  const std::string path =
      file(R"({"policy": "adaptive", "cores": 4, "links": [{"from": "input", "to": "a", "records": 1},
      {"from": "a", "to": "b", "records": 1}], "components": [
      {"name": "a", "place": "shared group {0}", "cores": 0, "width": 1,
       "mean_seconds": 0.001, "visits": 1, "alpha": 1},
      {"name": "b", "place": "rank 1: shared group {0}", "cores": 0, "width": 1,
       "mean_seconds": 0.002, "visits": 1, "alpha": 1}],
      "streams": [{"from": "a", "to": "at 1", "records": 10, "bytes": 1e7}],
      "ranks": [{"rank": 0, "cores": 2, "latency": null, "bytes_per_second": null, "record_seconds": null,
                 "components": [{"name": "a", "invocations": 10}]},
                {"rank": 1, "cores": 2, "latency": 1e-5, "bytes_per_second": 1e8, "record_seconds": 0,
                 "components": [{"name": "b", "invocations": 10}]}]})");
  const auto json = run_weir("flow " + path + " --json").json();
  EXPECT_EQ(json["machines"].size(), 2u);
  const std::string of_page = folder_.at("page.json");
  std::ofstream(of_page) << R"({"runs": [{"name": "run", "report": )" << contents(path) << "}]}";
  EXPECT_EQ(run_weir("flow " + of_page + " --json").json()["bottleneck"], json["bottleneck"]);
  EXPECT_NEAR(json["throughput_per_second"].get<double>(), 100, 1e-6);  // 1 MB at 100 MB a second
  EXPECT_EQ(json["bottleneck"], "link a -> b, 0 -> 1");
}

// Machines that cannot be are refused in words.
TEST_F(flow, refuses_impossible_machines) {
  const auto with = [&](const std::string& machines, const std::string& more = "") {
    return file(R"({"machines": )" + machines + R"(, "components": [{"name": "a", "service_rate": 10)" + more + "}]}");
  };
  expect_refused("flow " + with(R"({"count": 0})"), "count");
  expect_refused("flow " + with(R"({"count": 2, "latency": -1})"), "latency");
  expect_refused("flow " + with(R"({"cores": [2, 1.5]})"), "cores");
  expect_refused("flow " + with(R"({"count": 2, "between": [{"from": 0, "to": 2}]})"), "to");
  expect_refused("flow " + with(R"({"count": 2, "speed": 1})"), "speed");
  expect_refused("flow " + with(R"({"count": 2})", R"(, "machine": "some")"), "machine");
  expect_refused("flow " + with(R"({"count": 2})", R"(, "min_cores": 2)"), "too few");
  expect_refused("flow " + with(R"({"count": 2})") + " --search", "--search");
  expect_refused("flow " + with(R"({"count": 2})") + " --machines 4", "4x48");
  expect_refused("flow " + with(R"({"count": 2})") + " --machines '4x2 latency'", "KEY=VALUE");
}

// The report of a run. Service times are as measured, and carried to other cores by the learnt law; visits, links and
// places are those of the run.
TEST_F(flow, takes_a_report_as_the_network_that_ran) {
  const std::string path = file(R"({"policy": "adaptive", "links": [{"from": "input", "to": "a", "records": 1},
      {"from": "a", "to": "b", "records": 0.5}], "components": [
      {"name": "a", "place": "shared group {0}", "cores": 0, "width": 1, "mean_seconds": 0.1, "visits": 1, "alpha": 1},
      {"name": "b", "place": "own cores {1-2}, 1 lane", "cores": 2, "width": 1, "mean_seconds": 0.3, "visits": 1.5,
       "alpha": 0.5}]})");
  const auto p = run_weir("flow " + path + " --json").json()["predictions"][0];
  EXPECT_NEAR(p["components"][0]["service_rate"].get<double>(), 10, 1e-9);
  EXPECT_NEAR(p["components"][1]["visits"].get<double>(), 1.5, 1e-9);
  EXPECT_NEAR(p["throughput_per_second"].get<double>(), 1 / .45, 1e-9);
  EXPECT_EQ(p["bottleneck"], "component b");
  // On one core b takes 0.4 s: half of that is serial.
  const auto one = run_weir("flow " + path + " --mapping 'a=0 b=1' --json").json()["predictions"][0];
  EXPECT_NEAR(one["throughput_per_second"].get<double>(), 1 / .6, 1e-9);
}

// In the shared group an invocation may have had several cores, and the mapping of a run has one for each.
TEST_F(flow, carries_a_mean_over_numbers_of_cores_to_one) {
  const auto rate_with = [&](const std::string& mean_cores) {
    const std::string path = file(R"({"policy": "adaptive", "components": [{"name": "a", "place": "shared group {0}",
        "cores": 0, "width": 1, "mean_seconds": 0.1, "visits": 1, "alpha": 0.5)" +
                                  mean_cores + "}]}");
    const auto p = run_weir("flow " + path + " --json").json()["predictions"][0];
    return p["components"][0]["service_rate"].get<double>();
  };
  EXPECT_NEAR(rate_with(""), 10, 1e-9);
  EXPECT_NEAR(rate_with(R"(, "mean_cores": null)"), 10, 1e-9);
  EXPECT_NEAR(rate_with(R"(, "mean_cores": 4)"), 6.25, 1e-9) << "on one core it takes 0.16 s";
}

// A report of a run with a device: the mapping of the run has cores and device, and a search one of both.
TEST_F(flow, predicts_the_device_of_a_report) {
  const auto report = [](const std::string& costs) {
    return R"({"policy": "adaptive", "links": [{"from": "input", "to": "blur", "records": 1}], "devices": [
      {"device": "gpu0", "component": "blur", "slots": 2, "inputs": )" +
           costs + R"(}], "components": [{"name": "blur", "place": "own cores {0}, 1 lane", "cores": 1, "width": 1,
      "mean_seconds": 0.05, "visits": 0.2, "observed_visits": 1, "alpha": 1}]})";
  };
  const std::string path = file(
      report(R"({"x": [1, 2], "on_cores": [0.1, 0.1], "on_device": [0.05, 0.05], "on_full_device": [0.05, 0.05]})"));
  const auto p = run_weir("flow " + path + " --json").json()["predictions"][0];
  EXPECT_NEAR(p["throughput_per_second"].get<double>(), 50, 1e-6);
  EXPECT_EQ(p["components"][1]["name"], "blur on gpu0");
  EXPECT_NEAR(p["components"][1]["rate"].get<double>(), 40, 1e-6);
  EXPECT_NE(run_weir("flow " + path).out.find("blur on gpu0"), std::string::npos);
  // In batches a record takes the time of its invocation: the device has 64 records in 3.2 s, cores one in 0.1 s.
  const std::string in_batches =
      file(report(R"({"x": [1, 2], "on_cores": [0.1, 0.1], "on_device": [0.05, 0.05], "on_full_device": [0.05, 0.05]},
      "size_on_cores": 1, "size_on_device": 64)"));
  const auto batched = run_weir("flow " + in_batches + " --rate 1 --json");
  EXPECT_NEAR(batched.json()["predictions"][0]["latency_seconds"].get<double>(), 0.1, 0.02);
  EXPECT_NE(batched.out.find("blur on gpu0 for fewer records takes as long as one for 64"), std::string::npos);
  EXPECT_NEAR(batched.json()["predictions"][0]["throughput_per_second"].get<double>(), 50, 1e-6);
  const auto best = run_weir("flow " + path + " --search --json").json()["predictions"][0];
  EXPECT_NEAR(best["throughput_per_second"].get<double>(), 40, 1e-6);
  EXPECT_EQ(best["mapping"][0]["device"], "gpu0");
  expect_refused("flow " + file(report(R"({"on_cores": [0.1, -1], "on_full_device": [1, 1]})")),
                 "devices[0]: inputs: \"on_cores\"");
  expect_refused("flow " + file(report(R"({"on_cores": [0.1], "on_full_device": [1, 1]})")),
                 "expected was 1 times, as of on_cores");
}

// A cost of x^3 for evenly spread x. The saved models and the report of one run give nearly the same throughput, and
// both say how well they know it.
TEST_F(flow, says_of_models_as_of_a_report_what_its_costs_rest_on) {
  const std::string csv = folder_.at("o.csv"), models = folder_.at("m.json");
  double sum = 0;
  {
    std::ofstream to(csv);
    to << "component,x,cores,seconds\n";
    for (int round = 0; round < 4; ++round)
      for (int x = 100; x <= 1000; x += 100) {
        const double seconds = 1e-9 * x * x * x * (round % 2 ? 1.1 : 0.9);
        to << "f," << x << ",1," << seconds << "\n";
        sum += seconds / 40;
      }
  }
  ASSERT_EQ(run_weir("fit " + csv + " --degree 3 --save " + models).code, 0);
  const std::string report = file(
      R"({"components": [{"name": "f", "place": "own cores {0}, 1 lane", "cores": 1, "width": 1, "mean_seconds": )" +
      std::to_string(sum) + R"(, "alpha": 0.98, "alpha_known": false, "scatter": 0.1, "model": "learnt"}]})");
  const auto by_models = run_weir("flow " + models + " --mapping f=0 --json").json()["predictions"][0];
  const auto by_report = run_weir("flow " + report + " --json").json()["predictions"][0];
  EXPECT_NEAR(by_models["throughput_per_second"].get<double>() * sum, 1, 0.15);
  EXPECT_NEAR(by_report["throughput_per_second"].get<double>() * sum, 1, 1e-4);
  for (const auto& p : {by_models, by_report}) {
    const auto& cost = p["components"][0]["cost"];
    EXPECT_EQ(cost["cores"], 1);
    EXPECT_FALSE(cost["extrapolates"].get<bool>());
    EXPECT_FALSE(cost["alpha_known"].get<bool>());
    EXPECT_NE(cost["words"], "");
    const double seconds = cost["seconds"], sd = cost["sd"];
    EXPECT_GT(sd, 0.05 * seconds);
    EXPECT_NEAR(cost["interval90"][0].get<double>(), seconds - 1.645 * sd, 1e-3 * sd);
    EXPECT_NEAR(cost["interval90"][1].get<double>(), seconds + 1.645 * sd, 1e-3 * sd);
    EXPECT_LE(cost["interval90"][0].get<double>(), sum);
    EXPECT_GE(cost["interval90"][1].get<double>(), sum);
  }
  for (const std::string& arguments : {models + " --cores 2 --mapping f=0-1", report + " --cores 2 --mapping f=0-1"}) {
    const outcome o = run_weir("flow " + arguments);
    for (const char* part : {"90 % within", "  extrapolated: alpha is assumed\n"})
      EXPECT_NE(o.out.find(part), std::string::npos) << part << "\n" << o.out;
  }
  EXPECT_EQ(run_weir("flow " + shipped + " --json").json()["predictions"][0]["components"][0]["cost"], nullptr);
}

// A component that is almost never reached: the search ends, and the output is about the others.
TEST_F(flow, ends_where_a_part_is_tiny) {
  for (const char* const part : {"1e-30", "1e-17"}) {
    std::string text = contents(shipped);
    text.replace(text.find("\"part\": 0.5"), 11, std::string("\"part\": ") + part);
    const auto p = run_weir("flow " + file(text) + " --json").json()["predictions"][0];
    EXPECT_NEAR(p["throughput_per_second"].get<double>(), 50, 1e-6);
    EXPECT_GT(p["latency_seconds"].get<double>(), 0.01);
    EXPECT_LT(p["latency_seconds"].get<double>(), 1);
  }
}

// A prediction computes with numbers of some size only. Others are refused where they stand, whether the result would
// be a crash, an endless search or a number that means nothing.
TEST_F(flow, numbers_that_nothing_can_be_computed_with_are_named_with_their_place) {
  const auto network = [](const std::string& component, const std::string& link = "") {
    return R"({"cores": 4, "components": [{"name": "a", )" + component +
           R"(}, {"name": "b", "service_rate": 1}], "links":
      [{"from": "input", "to": "a"}, {"from": "a", "to": "b")" +
           link + R"(}, {"from": "b", "to": "output"}]})";
  };
  const auto report = [](const std::string& keys) {
    return R"({"components": [{"name": "a", "place": "own cores {1-2}, 1 lane", "cores": 2, )" + keys + "}]}";
  };
  const std::string in_a = "n.json: components[0]: ", in_cost = "n.json: components[0]: cost: ";
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {network(R"("service_rate": 1e308)"),
            in_a + "\"service_rate\" is 1e+308, expected was a number in 1e-12..1e+12"},
           {network(R"("service_rate": 1e-320)"), in_a + "\"service_rate\" is 1e-320"},
           {network(R"("service_rate": -1)"), in_a + "\"service_rate\" is -1"},
           {network(R"("cost": {"coefficients": [1e308]})"), in_cost + "coefficients[0]: 1e+308 was found"},
           {network(R"("cost": {"coefficients": [1e-320]})"),
            in_cost + "coefficients[0]: 1e-320 was found, expected was 0 or a number of at least 1e-30 in size"},
           {network(R"("cost": {"coefficients": [-1]})"),
            in_a + "\"cost\" is an object, expected was a cost of 1e-18 to 1e+18 s; on 1 core it is -1 s"},
           {network(R"("cost": {"coefficients": [0, 1]}, "x": 1e308)"), in_a + "x: 1e+308 was found"},
           {network(R"("cost": {"coefficients": [0, 0, 0, 1]}, "x": {"uniform": [1e20, 1e21]})"), "on 1 core it is"},
           {network(R"("cost": {"coefficients": [1], "alpha": 1.5})"),
            in_cost + "\"alpha\" is 1.5, expected was a number in 0..1"},
           {network(R"("cost": {"coefficients": [1], "contention": -1})"), in_cost + "\"contention\" is -1"},
           {network(R"("cost": {"table": [1, -1]})"), in_cost + "table[1]: -1 was found"},
           {network(R"("cost": {"table": [1], "power": 1e308})"), in_cost + "\"power\" is 1e+308"},
           {network(R"("service_rate": 1, "gain": 1e308)"), in_a + "\"gain\" is 1e+308"},
           {network(R"("service_rate": 1, "variation": 1e300)"), in_a + "\"variation\" is 1e+300"},
           {network(R"("service_rate": 1, "bytes": 1e308)"), in_a + "\"bytes\" is 1e+308"},
           {network(R"("service_rate": 1)", R"(, "records": 1e308)"), "n.json: links[1]: \"records\" is 1e+308"},
           {network(R"("service_rate": 1)", R"(, "part": 1e-320)"), "n.json: links[1]: \"part\" is 1e-320"},
           {small(R"(, "rate": 1e308)"), "n.json: \"rate\" is 1e+308"},
           {small(R"(, "machines": {"count": 2, "latency": 1e308})"), "n.json: machines: \"latency\" is 1e+308"},
           {small(R"(, "machines": {"count": 2, "bytes_per_second": 1e-320})"), "\"bytes_per_second\" is 1e-320"},
           {report(R"("mean_seconds": 0.1, "alpha": 2)"), in_a + "\"alpha\" is 2, expected was a number in 0..1"},
           {report(R"("mean_seconds": 1e308)"), in_a + "\"mean_seconds\" is 1e+308"},
           {report(R"("mean_seconds": 1e-320)"), in_a + "\"mean_seconds\" is 1e-320"},
           {report(R"("mean_seconds": 0.1, "contention": 1e308)"), in_a + "\"contention\" is 1e+308"},
           {report(R"("mean_seconds": 0.1, "visits": -1)"), in_a + "\"visits\" is -1"}})
    for (const std::string options : {"", " --search", " --machines '2x4 latency=1e-5 bytes_per_second=1e9'"})
      if (options.empty() || text.find("machines") == std::string::npos)
        expect_refused("flow " + file(text) + options, part);
  expect_refused("flow " + file(small()) + " --machines '2x4 latency=1e308'", "--machines: \"latency\" is 1e+308");
  expect_refused("flow " + file(small()) + " --rate 1e308", "--rate: 1e308 is no number from 0 to 1e+30");
}

// Times at both ends of the accepted range have a prediction.
TEST_F(flow, times_of_very_different_size_are_predicted) {
  const std::string text = R"({"cores": 4, "components": [{"name": "a", "service_rate": 1e-12},
      {"name": "b", "service_rate": 1e12, "gain": 1e9}, {"name": "c", "cost": {"coefficients": [1e-12]}}]})";
  for (const std::string options : {"", " --search", " --machines '2x4 latency=1e-5 bytes_per_second=1e9'"}) {
    const outcome got = run_weir("flow " + file(text) + options);
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(got.out.find("nan"), std::string::npos) << got.out;
  }
}

TEST_F(flow, of_a_run_without_boxes_says_that_there_is_nothing_to_predict) {
  for (const char* const text :
       {R"({"format": 1, "policy": "adaptive", "components": [], "decisions": [], "links": []})",
        R"({"runs": [{"report": {"format": 1, "components": [], "decisions": []}}]})"})
    expect_refused("flow " + file(text),
                   "n.json: it is the report of a run without boxes, so there is nothing to predict");
}

TEST_F(flow, what_cannot_be_is_named_with_its_place) {
  expect_refused("flow none.json", "none.json cannot be read");
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"{", "n.json: "},
           {"[1]", "n.json: "},
           {R"({"cores": 1e999})", "n.json: the number '1e999' is too large"},
           {R"({"runs": []})", "several runs"},
           {R"({"cores": 2})", "n.json: key \"components\" is missing"},
           {R"({"components": []})", "there are no components"},
           {small(R"(, "corse": 4)"), "n.json: there is no key \"corse\" here"},
           {small(R"(, "machine": "no machine")"), "n.json: \"machine\" is"},
           {R"({"components": [{"name": "a"}]})", "n.json: components[0]: no cost was found"},
           {R"({"components": [{"name": "a", "service_rate": 0}]})", "\"service_rate\" is 0, expected was"},
           {R"({"components": [{"name": "a", "service_rate": 1, "device": "x"}]})",
            "components[0]: device: \"x\" is none of \"devices\", of which there are none"},
           {small(R"(, "links": [{"from": "input", "to": "c"}])"), "n.json: links[0]: \"to\" is \"c\""},
           {small(R"(, "links": [{"from": "input", "to": "a"}])"),
            "n.json: components[1]: no link leads from \"input\" to \"b\", expected were links"},
           {R"({"components": [{"name": "input", "service_rate": 1}], "links": [{"from": "input", "to": "input"}]})",
            "no link leads from \"(input)\" to \"input\""},
           {small(R"(, "links": [{"from": "input", "to": "a"}, {"from": "a", "to": "b", "part": 0.6},
                                 {"from": "a", "to": "a", "part": 0.6}])"),
            "the parts of what \"a\" gives are 1.2"},
           {small(R"(, "links": [{"from": "input", "to": "a"}, {"from": "a", "to": "b", "records": 1},
                                 {"from": "a", "to": "a", "records": 1}])"),
            "a loop returns"},
           {small(R"(, "mapping": {"a": "0", "b": "x"})"), "n.json: mapping: b: "},
           {R"({"components": {"a": 1}})", "n.json: "},
           {R"({"components": [{"name": "a", "mean_seconds": null}]})", "nothing of it was timed"}})
    expect_refused("flow " + file(text), part);
  const std::string path = file(small());
  for (const auto& [options, part] : std::vector<std::pair<std::string, std::string>>{
           {"--mapping 'a=0'", "--mapping: \"b\" has no place"},
           {"--mapping 'a=0 c=1'", "there is no component \"c\"; there are a, b"},
           {"--mapping 'a=0 b=7'", "\"b\" has cores 7, expected were some of 0 to 1"},
           {"--mapping 'a=0 b=1-0'", "\"1-0\" ends before it begins"},
           {"--mapping 'a=0 b=1:2:3'", "\"1:2:3\" was found, expected was CORES"},
           {"--mapping 'a=0 b=1' --search", "--mapping and --search"},
           {"--sharing half", "there are work-conserving, mu/n"},
           {"--objective fastest", "there is no \"fastest\"; there are throughput"},
           {"--objective latency_at:0 --search", "--objective latency_at:0"},
           {"--blocking 1", "--blocking: 1 is no number from 1e-09 to 0.999"},
           {"--blocking 0", "--blocking: 0 is no number"},
           {"--rate -1", "--rate: -1 is no number from 0 to 1e+30"},
           {"--search --min-throughput -1", "--min-throughput: -1 is no number"},
           {"--search --max-latency nan", "--max-latency: nan is no number"},
           {"--top 0", "--top: 0 is not in 1..1000"},
           {"--cores 0", "--cores"},
           {"--cores 2 --machine local", "--cores and --machine"},
           {"--machine nowhere", "--machine: \"nowhere\""},
           {"--search --min-throughput 100", "no mapping on 2 cores meets what is asked for"}})
    expect_refused("flow " + path + " " + options, part);
}

}  // namespace
}  // namespace weir::testing::flow_test

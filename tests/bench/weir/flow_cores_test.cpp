#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <weir/options/saved_models.hpp>
#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"

// `weir flow --cores` with several numbers: what a network does on each, and up to which number cores pay.
namespace weir::testing::flow_cores_test {
namespace {

using nlohmann::json;

class flow_over_cores : public ::testing::Test {
 protected:
  std::string network(const std::string& text) { return write_file(folder_.at("n.json"), text); }
  json table(const std::string& arguments) {
    const outcome got = run_weir("flow " + arguments + " --json");
    EXPECT_EQ(got.code, 0) << got.err;
    return got.json();
  }
  // Models of components that were observed with this scatter on these cores, at one x.
  std::string models(const std::vector<int>& cores, double scatter, std::uint64_t seed, int of_each = 12) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<made_row> rows;
    for (int i = 0; i < of_each; ++i)
      for (const int p : cores)
        rows.push_back({"solve", 1000, p, cubic_cost(1000, p) * (1 + scatter * normal(random))});
    const std::string csv = write_file(folder_.at("o.csv"), as_csv(rows)), saved = folder_.at("m.json");
    EXPECT_EQ(run_weir("fit " + csv + " --save " + saved).code, 0);
    return saved;
  }
  const scratch_folder folder_;
};

// 0.1 s on any number of lanes before 0.02 s on one: five and one cores reach the 50 records/s of the latter, and a
// seventh core adds nothing.
TEST_F(flow_over_cores, finds_the_cores_after_which_the_bottleneck_no_longer_moves) {
  const std::string path = network(R"({"components": [{"name": "a", "service_rate": 10},
    {"name": "b", "service_rate": 50, "width": 1, "max_cores": 1}]})");
  const json all = table(path + " --cores 1:10:1");
  ASSERT_EQ(all["rows"].size(), 10u);
  double before = 0;
  for (const json& row : all["rows"]) {
    EXPECT_GE(row["throughput_per_second"].get<double>(), before) << "more cores are never worse";
    before = row["throughput_per_second"];
    EXPECT_EQ(row["throughput_interval90"][0], row["throughput_interval90"][1]) << "the file states its costs";
    EXPECT_TRUE(row["extrapolated"].empty());
  }
  EXPECT_NEAR(before, 50, 1e-9);
  EXPECT_EQ(all["pays_up_to"], 6);
  EXPECT_NEAR(all["next_adds"].get<double>(), 0, 1e-9);

  const outcome text = run_weir("flow " + path + " --cores 1,2,6,8");
  EXPECT_NE(text.out.find("cores pay up to 6: beyond, one adds 0 %"), std::string::npos) << text.out;
}

// Steps count as what they add for each core: here two cores at a time double the rate, and none is left out.
TEST_F(flow_over_cores, counts_a_step_of_two_cores_as_two_halves) {
  const std::string path =
      network(R"({"components": [{"name": "a", "service_rate": 10, "width": 8}, {"name": "b", "service_rate": 10}]})");
  const json all = table(path + " --cores 2:12:1");
  EXPECT_TRUE(all["pays_up_to"].is_null());
  EXPECT_NE(all["why_not"].get<std::string>().find("up to 12"), std::string::npos) << all["why_not"];
}

// Where models saw one and two cores, further ones are marked, and the interval grows with the distance.
TEST_F(flow_over_cores, marks_what_was_never_observed_and_widens_its_interval) {
  const json all = table(models({1, 2}, 0.02, 1, 40) + " --cores 1,2,4,16 --objective latency");
  const auto width = [&](std::size_t row) {
    const json& of = all["rows"][row];
    return (of["latency_interval90"][1].get<double>() - of["latency_interval90"][0].get<double>()) /
           of["latency_seconds"].get<double>();
  };
  EXPECT_TRUE(all["rows"][1]["extrapolated"].empty());
  EXPECT_EQ(all["rows"][2]["extrapolated"], json{"solve"});
  EXPECT_LT(width(1), width(2));
  EXPECT_LT(width(2), width(3));
}

// A number of cores that only a prior speaks for is not named.
TEST_F(flow_over_cores, names_no_limit_from_a_gain_that_is_assumed) {
  const json all = table(models({1}, 0.02, 1) + " --cores 1:64:1 --objective latency");
  EXPECT_TRUE(all["pays_up_to"].is_null());
  EXPECT_NE(all["why_not"].get<std::string>().find("only assumed for solve"), std::string::npos) << all["why_not"];
  const json measured = table(models({1, 2, 4, 8, 16, 32, 64}, 0.02, 1) + " --cores 1:64:1 --objective latency");
  ASSERT_TRUE(measured["pays_up_to"].is_number()) << measured["why_not"];
  EXPECT_LE(measured["pays_interval90"][0], measured["pays_up_to"]);
  EXPECT_GE(measured["pays_interval90"][1], measured["pays_up_to"]);
}

// Nine in ten intervals contain the truth, of models that saw 24 invocations with a scatter of 20 %.
TEST_F(flow_over_cores, has_intervals_that_hold) {
  constexpr int seeds = 40;
  int held = 0;
  double widest = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const json row = table(models({1, 2}, 0.2, static_cast<std::uint64_t>(seed)) + " --cores 1,2 --objective latency")
                         .at("rows")
                         .at(1);
    const double low = row["latency_interval90"][0], high = row["latency_interval90"][1], truth = cubic_cost(1000, 2);
    held += low <= truth && truth <= high;
    widest = std::max(widest, high / low);
  }
  EXPECT_GE(held, seeds * 8 / 10);
  EXPECT_LT(widest, 1.6);
}

// Invariant: of a folder each run is predicted by itself, with ranges and marks, and nothing best is named: nothing
// tells which of the runs the next one is like.
TEST_F(flow_over_cores, carries_the_ranges_of_every_run_of_a_folder_and_names_nothing_best) {
  const std::string folder = folder_.at("runs");
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(models({1, 2}, 0.05, 1), folder + "/a_small.json");
  std::map<std::string, saved_model> saved = read_models(contents(models({1, 2, 4, 8}, 0.2, 2)));
  saved.at("solve").machine = "A processor, 64 cores";
  write_file(folder + "/b_large.json", write_models(saved));
  const json all = table(folder + " --cores 1,2,8 --mapping solve=0 --rate 1e-3");
  ASSERT_EQ(all["runs"].size(), 2u);
  EXPECT_TRUE(all["runs"][0]["machine"].is_null());
  EXPECT_EQ(all["runs"][1]["machine"], "A processor, 64 cores");
  for (const json& run : all["runs"]) {
    EXPECT_TRUE(run["pays_up_to"].is_null());
    EXPECT_TRUE(run["objective"].is_null());
    EXPECT_EQ(run["why_not"], "nothing tells yet which run of the folder fits");
    ASSERT_EQ(run["rows"].size(), 3u);
    for (const json& row : run["rows"]) {
      const double rate = row["throughput_per_second"], seconds = row["latency_seconds"];
      EXPECT_LT(row["throughput_interval90"][0], rate);
      EXPECT_GT(row["throughput_interval90"][1], rate);
      EXPECT_LT(row["latency_interval90"][0], seconds);
      EXPECT_GT(row["latency_interval90"][1], seconds);
      EXPECT_TRUE(row["extrapolated"].empty());
    }
  }
  const auto marks = [&](const std::string& on) {
    std::vector<bool> is_marked;
    const json all_on = table(folder + " --cores 4 --mapping solve=" + on);
    for (const json& run : all_on["runs"]) is_marked.push_back(!run["rows"][0]["extrapolated"].empty());
    return is_marked;
  };
  EXPECT_EQ(marks("0-3"), (std::vector<bool>{true, false})) << "one of the runs had four cores";
  const outcome text = run_weir("flow " + folder + " --cores 1,2");
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part :
       {"a_small.json: saved models, all components on any of the cores\n", "nine in ten within",
        "b_large.json: saved models, all components on any of the cores\n", "  learnt on A processor, 64 cores\n",
        "up to which number cores pay is not known: nothing tells yet which run of the folder fits\n"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
  EXPECT_EQ(text.out.find("best"), std::string::npos) << text.out;
}

TEST_F(flow_over_cores, refuses_to_search_for_a_folder) {
  const std::string folder = folder_.at("runs");
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(models({1, 2}, 0.05, 1), folder + "/a.json");
  for (const char* const words : {"--search", "--objective latency", "--machines 2x4"}) {
    const std::string option = words;
    expect_refused("flow " + folder + " " + option,
                   option.substr(0, option.find(' ')) + ": not with a folder: nothing tells yet which run of");
  }
  expect_refused("flow " + folder + " --mapping other=0", "other");
  write_file(folder + "/b.json", "{}");
  expect_refused("flow " + folder, "/b.json: saved models: expected an object");
}

// A component that may run on a device as well does so where that is faster: then its cores are for the others.
TEST_F(flow_over_cores, knows_devices) {
  const std::string path = network(R"({"devices": [{"name": "gpu0", "slots": 1}], "components": [
    {"name": "a", "service_rate": 10, "on": {"device": "gpu0", "service_rate": 40}},
    {"name": "b", "service_rate": 20}]})");
  const json all = table(path + " --cores 1:8:1");
  EXPECT_NEAR(all["rows"][0]["throughput_per_second"].get<double>(), 20, 1e-9);
  EXPECT_NEAR(all["rows"][1]["throughput_per_second"].get<double>(), 40, 1e-9);
  EXPECT_GT(all["rows"][7]["throughput_per_second"].get<double>(), 40) << "with eight cores both run on cores";
}

TEST_F(flow_over_cores, refuses_what_is_about_one_number) {
  const std::string path = network(R"({"components": [{"name": "a", "service_rate": 10}]})");
  expect_refused("flow " + path + " --cores 1:4", "--cores: \"1:4\" is not LO:HI:STEP");
  expect_refused("flow " + path + " --cores 1,2,1", "--cores: 1 is listed twice");
  expect_refused("flow " + path + " --cores 0,2", "--cores: 0 is not in 1..65536");
  expect_refused("flow " + path + " --cores 1:1000:1", "--cores");
  expect_refused("flow " + path + " --cores 1,2 --mapping a=0",
                 "--mapping: not with several numbers of cores (--cores 1,2)");
  expect_refused("flow " + path + " --cores 1,2 --objective cores_at:5",
                 "--objective cores_at: not with several numbers");
  expect_refused("flow " + path + " --cores 1,2 --top 3", "--top: not with several numbers of cores (--cores 1,2)");
  expect_refused("flow " + path + " --worth 0.5", "--worth: not with one number of cores");
  expect_refused("flow " + path + " --cores 1,2 --worth 0", "--worth: 0 is not a part of one, above 0");
  expect_refused("flow " + path + " --cores 1,2 --machine core:2", "--cores and --machine");
}

// Where a bound rules some numbers out, their rows say so, and the others are told.
TEST_F(flow_over_cores, says_on_which_cores_nothing_meets_what_is_asked_for) {
  const std::string path = network(R"({"components": [{"name": "a", "service_rate": 10}]})");
  const json all = table(path + " --cores 1:4:1 --min-throughput 25");
  EXPECT_FALSE(all["rows"][0]["found"].get<bool>());
  EXPECT_FALSE(all["rows"][1]["found"].get<bool>());
  EXPECT_TRUE(all["rows"][2]["found"].get<bool>());
}

}  // namespace
}  // namespace weir::testing::flow_cores_test

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <weir/engine/trace.hpp>
#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"
#include "tests/bench/weir/planted_runs.hpp"

namespace weir::testing {
namespace {

using nlohmann::json;

class weir_explain : public ::testing::Test {
 protected:
  std::string file(const std::vector<run_row>& rows) const { return write_file(folder_.at("o.csv"), run_csv(rows)); }

  static json explained(const std::string& arguments) {
    const outcome o = run_weir("explain --json " + arguments + machine_of_runs);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return o.code == 0 ? o.json() : json{{"components", json::array()}};
  }

  static json component(const json& all, const std::string& name) {
    for (const json& c : all.at("components"))
      if (c.at("name") == name) return c;
    ADD_FAILURE() << name << " is not in " << all;
    return {};
  }

  static std::string text_of(const std::string& arguments) {
    const outcome o = run_weir("explain " + arguments + machine_of_runs);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return o.out;
  }

  const scratch_folder folder_;
};

void expect_says(const std::string& text, const std::string& what) {
  EXPECT_NE(text.find(what), std::string::npos) << "\"" << what << "\" is not in\n" << text;
}

TEST_F(weir_explain, names_a_neighbour_that_slows_down_first) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const std::string run = file(slowed_by_neighbour(seed, 600));
    for (const std::string how : {"", " --linear"}) {
      SCOPED_TRACE(how);
      const json decode = component(explained(run + how), "decode");
      EXPECT_TRUE(decode.at("structure"));
      ASSERT_FALSE(decode.at("factors").empty());
      const json& first = decode.at("factors")[0];
      EXPECT_EQ(first.at("feature"), "overlap with `encode` on the same L3") << decode.at("factors");
      EXPECT_EQ(first.at("change"), "each overlapping `encode` on the same L3");
      EXPECT_NEAR(first.at("effect_seconds").get<double>(), 0.004, how.empty() ? 0.001 : 0.0004);
    }
    EXPECT_FALSE(component(explained(run), "far").at("structure"));
  }
  const std::string text = text_of(file(slowed_by_neighbour(1, 600)) + " --linear");
  expect_says(text, "each overlapping `encode` on the same L3 adds ");
  expect_says(text, "far: ");
  expect_says(text, "no structure found");
}

TEST_F(weir_explain, names_an_odd_x_that_is_serial_first) {
  for (unsigned seed = 1; seed <= 2; ++seed)
    for (const std::string how : {"", " --linear"}) {
      const json filter = component(explained(file(serial_for_odd(seed, 400)) + how), "filter");
      ASSERT_FALSE(filter.at("factors").empty());
      EXPECT_EQ(filter.at("factors")[0].at("feature"), "odd x") << filter.at("factors");
      EXPECT_NEAR(filter.at("factors")[0].at("effect_percent").get<double>(), 300, how.empty() ? 20 : 300);
    }
  expect_says(text_of(file(serial_for_odd(1, 400))), "odd x: +");
}

TEST_F(weir_explain, names_a_cold_first_invocation_first) {
  for (unsigned seed = 1; seed <= 2; ++seed)
    for (const std::string how : {"", " --linear"}) {
      const json multiply = component(explained(file(cold_after_moves(seed, 400)) + how), "multiply");
      ASSERT_FALSE(multiply.at("factors").empty());
      EXPECT_EQ(multiply.at("factors")[0].at("feature"), "first after a move") << multiply.at("factors");
      EXPECT_NEAR(multiply.at("factors")[0].at("effect_seconds").get<double>(), 0.008, 0.001);
    }
  expect_says(text_of(file(cold_after_moves(1, 400))), "first after a move: +");
}

// A cause that is not expected is named before x, however strong the effect of x is.
TEST_F(weir_explain, names_what_is_beyond_x_and_cores_before_them) {
  std::vector<run_row> rows = cold_after_moves(1, 400);
  for (run_row& r : rows) {
    r.x *= 1 + r.queue;
    r.seconds *= 1 + r.queue;
    r.queue = 0;
  }
  const json multiply = component(explained(file(rows)), "multiply");
  ASSERT_EQ(multiply.at("factors").size(), 2u) << multiply.at("factors");
  EXPECT_EQ(multiply.at("factors")[0].at("feature"), "first after a move");
  EXPECT_FALSE(multiply.at("factors")[0].at("expected"));
  EXPECT_EQ(multiply.at("factors")[1].at("feature"), "x");
  EXPECT_TRUE(multiply.at("factors")[1].at("expected"));
}

TEST_F(weir_explain, finds_no_structure_in_noise) {
  for (unsigned seed = 1; seed <= 2; ++seed)
    for (const std::string how : {"", " --linear"}) {
      const json all = explained(file(noise(seed, 400, seed % 2 ? 0.1 : 0.4)) + how).at("components");
      ASSERT_EQ(all.size(), 2u);
      for (const json& c : all) {
        EXPECT_FALSE(c.at("structure")) << seed << how << c;
        EXPECT_EQ(c.at("modes").size(), 1u);
      }
    }
  const std::string text = text_of(file(noise(1, 400, 0.1)));
  expect_says(text, "no structure found: its times do not go with x, cores, ");
  expect_says(text, ", overlaps with other components\n");
}

// A short invocation overlaps more with its neighbour; that is not an effect of the neighbour.
TEST_F(weir_explain, takes_no_overlap_for_a_cause_that_is_an_effect) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const json all = explained(file(busy_pipeline(seed, 1000))).at("components");
    ASSERT_EQ(all.size(), 2u);
    for (const json& c : all) EXPECT_FALSE(c.at("structure")) << c;
  }
}

TEST_F(weir_explain, tells_modes_apart_and_gives_examples) {
  const std::vector<run_row> rows = two_modes(1, 600);
  const json resize = component(explained(file(rows)), "resize");
  ASSERT_EQ(resize.at("modes").size(), 2u) << resize.at("tried");
  double shares = 0;
  for (const json& mode : resize.at("modes")) {
    shares += mode.at("share").get<double>();
    ASSERT_FALSE(mode.at("set_apart").empty());
    EXPECT_GT(mode.at("set_apart")[0].at("excludes").get<double>(), 0.95);
    EXPECT_GE(mode.at("set_apart").back().at("excludes_together"), mode.at("set_apart")[0].at("excludes"));
    EXPECT_EQ(mode.at("representatives").size(), 3u);
    for (const json& e : mode.at("representatives")) {
      const run_row& row = rows.at(e.at("position").get<std::size_t>() - 1);
      EXPECT_DOUBLE_EQ(e.at("seconds").get<double>(), row.seconds) << "a position is that of its row";
      EXPECT_DOUBLE_EQ(e.at("start").get<double>(), row.start);
    }
  }
  EXPECT_NEAR(shares, 1, 1e-12);
  const json& small = resize.at("modes")[0];
  EXPECT_NEAR(small.at("share").get<double>(), 2.0 / 3, 0.05);
  EXPECT_NEAR(small.at("typical_seconds").get<double>(), 0.0015, 0.0002);
  EXPECT_EQ(small.at("factors").at(0).at("change"), "twice the x");
  EXPECT_NEAR(small.at("factors")[0].at("effect_percent").get<double>(), 100, 10);
  ASSERT_FALSE(small.at("outliers").empty());
  EXPECT_EQ(small.at("outliers")[0].at("position"), 601);
  const std::string text = text_of(file(rows));
  for (const char* const what : {"2 modes:", "set apart by", "which excludes 100 % of the others", "typical",
                                 "outliers", "row 601: 200 ms", "twice the x takes"})
    expect_says(text, what);
}

// Core sets that follow from the number of cores add no information: both are named together, the number first.
TEST_F(weir_explain, names_what_goes_together_together) {
  const json resize = component(explained(file(two_modes(1, 300)) + " --linear"), "resize");
  bool seen = false;
  for (const json& f : resize.at("features")) {
    EXPECT_NE(f.at("name"), "core set");
    const auto with = f.at("together_with").get<std::vector<std::string>>();
    seen = seen || std::find(with.begin(), with.end(), "core set") != with.end();
  }
  EXPECT_TRUE(seen) << resize.at("features");
}

TEST_F(weir_explain, gives_the_documented_keys) {
  const json all = explained(file(slowed_by_neighbour(1, 200)) + " --seed 7 --clusters 2 --component decode");
  for (const char* const key : {"source", "invocations", "time", "clusters", "seed", "machine", "components", "notes"})
    EXPECT_TRUE(all.contains(key)) << key;
  EXPECT_EQ(all.at("source"), "csv");
  EXPECT_EQ(all.at("time"), "log");
  EXPECT_EQ(all.at("clusters"), 2);
  EXPECT_EQ(all.at("seed"), 7);
  ASSERT_EQ(all.at("components").size(), 1u);
  const json& decode = all.at("components")[0];
  for (const char* const key : {"name", "invocations", "typical_seconds", "structure", "factors", "modes", "features",
                                "overlaps_left_out", "tried", "notes"})
    EXPECT_TRUE(decode.contains(key)) << key;
  EXPECT_EQ(decode.at("modes").size(), 2u);
  for (const json& mode : decode.at("modes"))
    for (const char* const key : {"share", "invocations", "typical_seconds", "range_seconds", "set_apart", "factors",
                                  "representatives", "outliers"})
      EXPECT_TRUE(mode.contains(key)) << key;
  for (const char* const key : {"feature", "together_with", "change", "expected", "effect_seconds", "effect_percent",
                                "strength", "certainty", "words"})
    EXPECT_TRUE(decode.at("factors").at(0).contains(key)) << key;
}

TEST_F(weir_explain, says_the_same_for_the_same_seed) {
  const std::string run = file(two_modes(2, 400));
  EXPECT_EQ(text_of(run + " --seed 3"), text_of(run + " --seed 3"));
}

TEST_F(weir_explain, few_rows_or_no_scatter_are_said) {
  expect_says(text_of(file(cold_after_moves(1, 10))), "10 invocations: at least 20 are needed");
  expect_says(text_of(file(std::vector<run_row>(30, {"f"}))), "every invocation took the same time");
}

TEST_F(weir_explain, the_four_columns_are_enough) {
  const std::string run = write_file(folder_.at("o.csv"), as_csv(scattered_rows("f", 200)));
  const json all = explained(run);
  EXPECT_EQ(component(all, "f").at("factors").at(0).at("change"), "twice the x");
  EXPECT_EQ(all.at("notes").size(), 1u);
}

// The same run from a trace: its invocations, their cores from its tracks, the first ones after a move from its moves.
TEST_F(weir_explain, reads_a_trace_as_it_reads_observations) {
  const std::vector<run_row> rows = slowed_by_neighbour(2, 400);
  const tracer trace;
  for (const run_row& r : rows)
    trace.add({trace_kind::invocation, r.start, r.seconds, r.first_core, r.cores, 1, r.x, r.component, ":S1", ""});
  trace.write(folder_.at("trace.json"));
  const json all = explained(folder_.at("trace.json"));
  EXPECT_EQ(all.at("source"), "trace");
  EXPECT_EQ(all.at("invocations"), rows.size());
  const json from_trace = component(all, "decode").at("factors").at(0);
  const json from_csv = component(explained(file(rows)), "decode").at("factors").at(0);
  EXPECT_EQ(from_trace.at("feature"), from_csv.at("feature"));
  EXPECT_NEAR(from_trace.at("effect_seconds").get<double>(), from_csv.at("effect_seconds").get<double>(), 1e-4);
}

TEST_F(weir_explain, finds_what_came_first_after_a_move_in_a_trace) {
  const tracer trace;
  for (const run_row& r : cold_after_moves(1, 400)) {
    if (r.after_move) trace.add({trace_kind::move, r.start - 1e-3, 0, -1, r.cores, 1, 0, r.component, "", "moved"});
    trace.add({trace_kind::invocation, r.start, r.seconds, r.first_core, r.cores, 1, r.x, r.component, ":S1", ""});
  }
  trace.write(folder_.at("trace.json"));
  EXPECT_EQ(component(explained(folder_.at("trace.json")), "multiply").at("factors").at(0).at("feature"),
            "first after a move");
}

}  // namespace
}  // namespace weir::testing

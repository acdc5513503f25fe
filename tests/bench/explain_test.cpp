#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "command.hpp"
#include "made_observations.hpp"
#include "runtime/trace.hpp"

namespace weir::testing {
namespace {

using nlohmann::json;

constexpr const char* machine = " --machine 'package:2 l3:2 core:2 pu:1'";  // 8 cores, two a cache, four a package

// A row of a run that was made up.
struct run_row {
  std::string component;
  double x = 1;
  double seconds = 0.01, start = 0;
  int first_core = 0, cores = 1;
  int queue = 0;
  bool after_move = false;
};

std::string run_csv(const std::vector<run_row>& rows) {
  std::ostringstream text;
  text << "component,x,cores,seconds,start,core_set,queue,after_move\n" << std::setprecision(17);
  for (const run_row& r : rows) {
    text << r.component << ',' << r.x << ',' << r.cores << ',' << r.seconds << ',' << r.start << ',' << r.first_core;
    if (r.cores > 1) text << '-' << r.first_core + r.cores - 1;
    text << ',' << r.queue << ',' << (r.after_move ? 1 : 0) << '\n';
  }
  return text.str();
}

// Chance, the same in every run of the tests.
struct chance {
  explicit chance(unsigned seed) : random(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  double noise(double part) { return std::exp(part * std::normal_distribution<double>()(random)); }
  bool one_in(unsigned n) { return random() % n == 0; }

  std::mt19937_64 random;
};

class weir_explain : public ::testing::Test {
 protected:
  std::string file(const std::vector<run_row>& rows) const { return write_file(folder_.at("o.csv"), run_csv(rows)); }

  static json explained(const std::string& arguments) {
    const outcome o = run_weir("explain --json " + arguments + machine);
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
    const outcome o = run_weir("explain " + arguments + machine);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return o.out;
  }

  const scratch_folder folder_;
};

void expect_says(const std::string& text, const std::string& what) {
  EXPECT_NE(text.find(what), std::string::npos) << "\"" << what << "\" is not in\n" << text;
}

// `decode` on core 0; each `encode` that runs meanwhile, on core 1 beside the same L3, adds 4 ms to its 10; `far`, on
// the other package, adds nothing. A decode that is held up meets more of the encode that holds it up.
std::vector<run_row> slowed_by_neighbour(unsigned seed, int count) {
  chance draw(seed);
  std::vector<run_row> encodes, rows;
  for (double t = 0; t < 0.02 * count;) {
    const double lasts = draw.uniform(0.005, 0.05);
    encodes.push_back({"encode", 1, lasts, t, 1});
    rows.push_back({"far", 1, draw.uniform(0.005, 0.02), t + draw.uniform(0, 0.01), 5});
    t += lasts + draw.uniform(0, 0.06);
  }
  double t = 0;
  for (int i = 0; i < count; ++i) {
    const double alone = 0.010 * draw.noise(0.05);
    double lasts = alone;
    for (int round = 0; round < 20; ++round) {
      double met = 0;
      for (const run_row& e : encodes)
        met += std::max(0.0, std::min(t + lasts, e.start + e.seconds) - std::max(t, e.start));
      lasts = alone + 0.004 * met / lasts;
    }
    rows.push_back({"decode", 1, lasts, t, 0, 1, static_cast<int>(draw.uniform(0, 5))});
    t += lasts + draw.uniform(0, 0.005);
  }
  rows.insert(rows.end(), encodes.begin(), encodes.end());
  return rows;
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

// T = x / 4 on four cores for even x; odd x make no use of the further cores.
std::vector<run_row> serial_for_odd(unsigned seed, int count) {
  chance draw(seed);
  std::vector<run_row> rows;
  for (int i = 0; i < count; ++i) {
    const double x = std::floor(draw.uniform(80, 120));
    const double seconds = 1e-4 * x * draw.noise(0.05) / (std::fmod(x, 2) == 0 ? 4 : 1);
    rows.push_back({"filter", x, seconds, 0.02 * i, 0, 4, static_cast<int>(draw.uniform(0, 9))});
  }
  return rows;
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

// The first invocation after a move, one in forty, takes 8 ms longer.
std::vector<run_row> cold_after_moves(unsigned seed, int count) {
  chance draw(seed);
  std::vector<run_row> rows;
  for (int i = 0; i < count; ++i) {
    const double x = draw.uniform(90, 110);
    const bool moved = i % 40 == 0;
    rows.push_back({"multiply", x, 1e-4 * x * draw.noise(0.05) + (moved ? 0.008 : 0), 0.03 * i, i / 40 % 4, 1,
                    static_cast<int>(draw.uniform(0, 9)), moved});
  }
  return rows;
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

// However much x does, what it is not expected to do is named first.
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

// Two components side by side, moved about on whatever cores, with times that care for nothing.
std::vector<run_row> noise(unsigned seed, int count, double scatter) {
  chance draw(seed);
  std::vector<run_row> rows;
  for (const char* const name : {"one", "other"})
    for (int i = 0; i < count; ++i) {
      const int cores = 1 << draw.random() % 3;
      rows.push_back({name, std::floor(draw.uniform(1, 100)), 0.01 * draw.noise(scatter), 0.015 * i,
                      static_cast<int>(draw.random() % 4), cores, static_cast<int>(draw.uniform(0, 9)),
                      draw.one_in(30)});
    }
  return rows;
}

TEST_F(weir_explain, finds_no_structure_in_noise) {
  for (unsigned seed = 1; seed <= 3; ++seed)
    for (const std::string how : {"", " --linear"})
      for (const json& c : explained(file(noise(seed, 400, seed % 2 ? 0.1 : 0.4)) + how).at("components")) {
        EXPECT_FALSE(c.at("structure")) << seed << how << c;
        EXPECT_EQ(c.at("modes").size(), 1u);
      }
  expect_says(text_of(file(noise(1, 400, 0.1))), "no structure found: its times do not go with x, cores, ");
}

// A mode of small records on one core and one of large records on four, a third of the invocations; time and size go
// their own ways in each.
std::vector<run_row> two_modes(unsigned seed, int count) {
  chance draw(seed);
  std::vector<run_row> rows;
  for (int i = 0; i < count; ++i) {
    const bool large = draw.one_in(3);
    const double x = large ? draw.uniform(1000, 2000) : draw.uniform(10, 20);
    const double seconds = large ? 0.1 * draw.noise(0.03) : 1e-4 * x * draw.noise(0.03);
    rows.push_back({"resize", x, seconds, 0.2 * i, large ? 4 : 0, large ? 4 : 1});
  }
  rows.push_back({"resize", 15, 0.2, 0.2 * count, 0, 1});  // an outlier
  return rows;
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
  for (const char* const what : {"2 modes:", "set apart by", "which excludes 100 % of the others", "typical", "outliers",
                                 "row 601: 200 ms", "twice the x takes"})
    expect_says(text, what);
}

// Sets of cores that come with their number say nothing beside it: named together, the number first.
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
                                "tried", "notes"})
    EXPECT_TRUE(decode.contains(key)) << key;
  EXPECT_EQ(decode.at("modes").size(), 2u);
  for (const json& mode : decode.at("modes"))
    for (const char* const key : {"share", "invocations", "typical_seconds", "range_seconds", "set_apart", "factors",
                                  "representatives", "outliers"})
      EXPECT_TRUE(mode.contains(key)) << key;
  for (const char* const key : {"feature", "together_with", "change", "expected", "effect_seconds", "effect_percent", "strength",
                                "certainty", "words"})
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

// The same run from a trace: its invocations, their cores from its tracks, what was first after a move from its moves.
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

// ---- what cannot be ----

struct bad_explain {
  const char* what;
  const char* arguments;
  const char* names;
  const char* text = "component,x,cores,seconds,start,core_set\nf,1,1,1,0,0\nf,1,2,1,0,7-8\n";
};

void PrintTo(const bad_explain& c, std::ostream* to) { *to << c.arguments; }

class bad_input_of_explain : public ::testing::TestWithParam<bad_explain> {};

TEST_P(bad_input_of_explain, is_one_line_and_exit_code_2) {
  const scratch_folder folder;
  const std::string good = write_file(folder.at("good.csv"), "component,x,cores,seconds\nf,1,1,1\ng,1,1,2\n");
  const std::string bad = write_file(folder.at("bad.csv"), GetParam().text);
  std::string arguments = GetParam().arguments;
  for (const auto& [word, path] : {std::pair{"OBS", good}, {"BAD", bad}})
    for (std::size_t at; (at = arguments.find(word)) != std::string::npos;) arguments.replace(at, 3, path);
  if (arguments.find("--machine") == std::string::npos) arguments += machine;
  for (const char* const how : {"", " --json"}) {
    const outcome o = run_weir("explain " + arguments + how);
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(lines_of(o.err).size(), 1u) << o.err;
    EXPECT_EQ(o.err.rfind("weir: ", 0), 0u) << o.err;
    EXPECT_NE(o.err.find(GetParam().names), std::string::npos) << o.err;
  }
}

const bad_explain bad_explains[] = {
    {"no_file", "", "TRACE_OR_CSV"},
    {"file_missing", "/no/such/file.csv", "/no/such/file.csv cannot be read: No such file"},
    {"file_is_a_folder", "/", "/ is a folder"},
    {"file_empty", "BAD", "bad.csv is empty", ""},
    {"no_rows", "BAD", "bad.csv has no rows", "component,x,cores,seconds\n"},
    {"number", "BAD", "bad.csv: line 2: column seconds: \"soon\"", "component,x,cores,seconds\nf,1,1,soon\n"},
    {"component", "OBS --component h", "--component: "},
    {"component_names_who_there_is", "OBS --component h", "no component \"h\"; there are f, g"},
    {"clusters_text", "OBS --clusters many", "--clusters: \"many\""},
    {"clusters_none", "OBS --clusters 0", "--clusters: 0"},
    {"clusters_too_many", "OBS --clusters 13", "--clusters: 13"},
    {"seed", "OBS --seed one", "--seed"},
    {"both_times", "OBS --log --linear", "--log and --linear"},
    {"machine", "OBS --machine nonsense", "--machine: \"nonsense\""},
    {"core_beyond_the_machine", "BAD", "bad.csv: line 3: column core_set: \"7-8\" is beyond the machine, which has 8"},
    {"core_set_of_another_size", "BAD", "line 2: column core_set: \"0-3\" is not a run of 2 cores",
     "component,x,cores,seconds,core_set\nf,1,2,1,0-3\n"},
    {"core_set_text", "BAD", "line 2: column core_set: \"all\" is not a run of 1 core",
     "component,x,cores,seconds,core_set\nf,1,1,1,all\n"},
    {"trace_broken", "BAD", "bad.csv begins as JSON does and is no trace", "{\"traceEvents\": [{\"ph\": \"X\""},
    {"trace_without_invocations", "BAD", "bad.csv has no invocations", "{\"traceEvents\": []}"},
    {"trace_of_other_shape", "BAD", "bad.csv has no invocations", "{\"rows\": [1, 2]}"},
    {"trace_without_time", "BAD", "bad.csv: event 1: its ts is missing",
     "{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"f\", \"args\": {\"x\": 1, \"cores\": 1, \"width\": 1}}]}"},
    {"trace_beyond_the_machine", "BAD", "invocation 1 ran on cores 7-8, beyond the machine, which has 8",
     "{\"traceEvents\": [{\"ph\": \"M\", \"name\": \"thread_name\", \"tid\": 7, \"args\": {\"name\": \"core 7\"}},"
     "{\"ph\": \"X\", \"name\": \"f\", \"ts\": 1, \"dur\": 1, \"tid\": 7, "
     "\"args\": {\"x\": 1, \"cores\": 2, \"width\": 1}}]}"},
    {"unknown_option", "OBS --cluster", "--cluster"},
    {"stray_argument", "OBS OBS", "good.csv"},
};

INSTANTIATE_TEST_SUITE_P(weir_explain, bad_input_of_explain, ::testing::ValuesIn(bad_explains),
                         [](const auto& one) { return std::string(one.param.what); });

}  // namespace
}  // namespace weir::testing

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <weir/model/named/estimators.hpp>
#include <weir/options/saved_models.hpp>
#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"

namespace weir::testing {
namespace {

using nlohmann::json;

class weir_predict : public ::testing::Test {
 protected:
  std::string model(const std::map<std::string, saved_model>& models) const {
    return write_file(folder_.at("model.json"), write_models(models));
  }

  static json predicted(const std::string& arguments) {
    const outcome o = run_weir("predict --json " + arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return o.code == 0 ? o.json().at("components") : json::array();
  }

  const scratch_folder folder_;
};

saved_model saved(const std::string& name, int k, const std::vector<made_row>& rows) {
  return {name, k, taught(name, k, rows)->state()};
}

// Observations that go through weir fit and its file give the model's predictions, to the last bit.
TEST_F(weir_predict, says_what_the_saved_model_said) {
  const auto rows = scattered_rows("f", 60);
  const std::string file = write_file(folder_.at("o.csv"), as_csv(rows));
  for (const std::string& name : estimator_names()) {
    SCOPED_TRACE(name);
    const std::string path = folder_.at(name + ".json");
    ASSERT_EQ(run_weir("fit " + file + " --degree 2 --save " + path + " --estimator " + name).code, 0);
    const json all = predicted(path + " --x 0.1,100,2000 --cores 1,3,64");
    ASSERT_EQ(all.size(), 1u);
    const json& f = all[0];
    EXPECT_EQ(f.at("name"), "f");
    EXPECT_EQ(f.at("estimator"), name);
    EXPECT_EQ(f.at("degree"), 2);
    const auto model = taught(name, 2, rows);
    expect_number(f.at("alpha"), model->describe().alpha);
    EXPECT_EQ(f.at("observations"), 60);
    EXPECT_EQ(f.at("words"), model->describe().words);
    ASSERT_EQ(f.at("table").size(), 9u);
    std::size_t i = 0;
    for (const double x : {0.1, 100.0, 2000.0})
      for (const int p : {1, 3, 64}) {
        const json& row = f.at("table")[i++];
        const prediction expected = model->predict(x, p);
        EXPECT_EQ(row.at("x"), x);
        EXPECT_EQ(row.at("cores"), p);
        expect_number(row.at("seconds"), expected.mean);
        expect_number(row.at("sd"), expected.spread);
        expect_number(row.at("p99"), model->quantile(0.99, x, p));
        EXPECT_EQ(row.at("extrapolates").get<bool>(), expected.extrapolates);
      }
  }
}

TEST_F(weir_predict, knows_intervals_speedup_and_the_best_number_of_cores) {
  const json f = predicted(model({{"f", saved("weir", 3, cubic_rows("f"))}}) + " --x 200,400 --cores 8,1,2,16")[0];
  const json& table = f.at("table");
  ASSERT_EQ(table.size(), 8u);
  for (const json& row : table) {
    const double seconds = row.at("seconds").get<double>(), sd = row.at("sd").get<double>();
    const double cores = row.at("cores").get<double>();
    EXPECT_NEAR(row.at("speedup").get<double>(), 1 / (0.9 / cores + 0.1), 1e-4);
    EXPECT_NEAR(row.at("interval90")[1].get<double>(), seconds + 1.6449 * sd, 1e-4 * sd);
    EXPECT_NEAR(row.at("interval90")[0].get<double>(), std::max(0.0, seconds - 1.6449 * sd), 1e-4 * sd);
    EXPECT_EQ(row.at("extrapolates").get<bool>(), cores == 16);
  }
  ASSERT_EQ(f.at("best").size(), 2u);
  EXPECT_EQ(f.at("best")[1].at("x"), 400);
  EXPECT_EQ(f.at("best")[1].at("cores"), 16);
  EXPECT_EQ(f.at("best")[1].at("seconds"), table[7].at("seconds"));
  EXPECT_TRUE(f.at("best")[1].at("extrapolates").get<bool>());
}

// For a component that gains nothing from a second core, one core is the best of all that cost the same.
TEST_F(weir_predict, prefers_fewer_cores_when_more_do_not_help) {
  std::vector<made_row> rows;
  for (int i = 0; i < 200; ++i) rows.push_back({"f", 1, 1 << i % 4, 2.0});
  auto learnt = taught("extended-amdahl-online", 0, rows);
  ASSERT_EQ(learnt->describe().alpha, 0);
  const json f = predicted(model({{"f", {"extended-amdahl-online", 0, learnt->state()}}}) + " --x 1 --cores 4,2,8")[0];
  EXPECT_EQ(f.at("best")[0].at("cores"), 2);
}

TEST_F(weir_predict, takes_lists_and_ranges_of_real_x) {
  const std::string file = model({{"f", saved("weir", 3, cubic_rows("f"))}});
  std::vector<double> xs;
  std::vector<int> cores;
  const json f = predicted(file + " --x 0,0.5:1.5:0.25,1e3 --cores 1,4:10:3")[0];
  for (const json& row : f.at("best")) xs.push_back(row.at("x").get<double>());
  for (std::size_t i = 0; i < 4; ++i) cores.push_back(f.at("table")[i].at("cores").get<int>());
  EXPECT_EQ(xs, (std::vector<double>{0, 0.5, 0.75, 1, 1.25, 1.5, 1000}));
  EXPECT_EQ(cores, (std::vector{1, 4, 7, 10}));
  EXPECT_EQ(predicted(file + " --x 0:1:0.1 --cores 1")[0].at("table").size(), 11u) << "the end is included";
  EXPECT_EQ(predicted(file + " --x 0:1:0.3 --cores 1")[0].at("table").size(), 4u);
}

TEST_F(weir_predict, shows_each_component_or_the_one_asked_for) {
  const std::string file =
      model({{"f", saved("weir", 3, cubic_rows("f"))}, {"g", saved("weir", 0, {{"g", 1, 1, 2.0}})}});
  EXPECT_EQ(predicted(file + " --x 1 --cores 1").size(), 2u);
  const json g = predicted(file + " --x 1 --cores 1 --component g");
  ASSERT_EQ(g.size(), 1u);
  EXPECT_EQ(g[0].at("name"), "g");
}

TEST_F(weir_predict, reads_what_a_run_saved) {
  const std::string path = folder_.at("run.json");
  ASSERT_EQ(run_weir("matmul --sizes-list 100,200 --repeat 3 --save-model " + path).code, 0);
  const json all = predicted(path + " --x 150 --cores 1,2");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_GT(all[1].at("table")[0].at("seconds").get<double>(), 0);
}

TEST_F(weir_predict, reads_what_a_run_saved_that_began_with_a_folder_of_others) {
  const scratch_folder before;
  ASSERT_EQ(run_weir("matmul --sizes-list 100,200 --repeat 3 --save-model " + before.at("run.json")).code, 0);
  const std::string path = folder_.at("second.json");
  ASSERT_EQ(run_weir("matmul --sizes-list 100,200 --repeat 3 --prior-models " + before.path().string() +
                     " --save-model " + path)
                .code,
            0);
  EXPECT_EQ(predicted(path + " --x 150 --cores 1").size(), 2u);
}

TEST_F(weir_predict, of_a_model_that_has_seen_nothing_says_that_it_does_not_know) {
  const std::string file = model({{"f", saved("weir", 3, {})}});
  const json f = predicted(file + " --x 1 --cores 1,2")[0];
  EXPECT_TRUE(f.at("table")[0].at("seconds").is_null());
  EXPECT_TRUE(f.at("table")[0].at("interval90")[0].is_null());
  EXPECT_TRUE(f.at("best")[0].at("cores").is_null());
  const outcome o = run_weir("predict " + file + " --x 1 --cores 1,2");
  EXPECT_NE(o.out.find("best at x = 1: not known"), std::string::npos) << o.out;
}

// --x has values of one predictor, so a model of several is refused.
TEST_F(weir_predict, refuses_a_model_of_several_predictors) {
  const auto learnt = make_estimator("weir(number, number)", unknown_degree);
  for (int i = 1; i <= 60; ++i) {
    observation o;
    o.x = i, o.further[0] = i * 7 % 11 + 1;
    o.seconds = 1e-3 * o.x * o.further[0];
    learnt->observe(o);
  }
  const std::string file = model({{"f", {"weir(number, number)", -1, learnt->state()}}});
  expect_refused("predict " + file + " --x 1 --cores 1,2",
                 "component \"f\": its time follows several predictors or kinds (of them 1, 2)");
}

// A box may have any name, even invalid UTF-8: names come back unchanged, in text that is JSON.
TEST_F(weir_predict, keeps_names_of_any_bytes) {
  std::map<std::string, saved_model> models;
  const saved_model one = saved("weir", 3, cubic_rows("f"));
  for (const std::string& name : {std::string("plain"), std::string("a\"b\\c\n</text>&\x01\x7f'`,;{}|<>"),
                                  std::string("\xff"), std::string("\xfe"), std::string("\\xff"), std::string("\\xff'"),
                                  std::string("\xc3\x28"), std::string("cut \xe2\x82"), std::string("\xed\xa0\x80"),
                                  std::string("\xc2\x9b"), std::string("nul\0byte\x80", 9), std::string()})
    models[name] = one;
  const std::string text = write_models(models);
  EXPECT_TRUE(json::accept(text));
  const std::map<std::string, saved_model> back = read_models(text);
  ASSERT_EQ(back.size(), models.size());
  for (const auto& [name, written] : models) {
    ASSERT_TRUE(back.contains(name)) << name;
    EXPECT_EQ(back.at(name).state, written.state);
  }
  EXPECT_EQ(write_models(back), text);
  EXPECT_EQ(predicted(model(models) + " --x 1 --cores 1").size(), models.size());
  for (const char* const bytes : {"[256]", "[-1]", "[1.5]", "[\"a\"]", "1"})
    EXPECT_THROW(read_models(R"({"weir_models": 1, "components": {"a": {"estimator": "weir", "degree": 1, "state": [],
                              "name_bytes": )" +
                             std::string(bytes) + "}}}"),
                 std::invalid_argument)
        << bytes;
}

// Observed on one number of cores only, the gain of further cores is the prior's, which is no basis to choose cores.
TEST_F(weir_predict, names_no_best_number_of_cores_where_alpha_is_only_assumed) {
  std::vector<made_row> rows;
  for (int i = 1; i <= 40; ++i) rows.push_back({"f", 10.0 * i, 4, 1e-3 * i});
  const std::string file = model({{"f", saved("weir", 1, rows)}});
  const json f = predicted(file + " --x 100 --cores 1,4,8")[0];
  ASSERT_FALSE(f.at("alpha_known").get<bool>());
  EXPECT_TRUE(f.at("best")[0].at("cores").is_null());
  EXPECT_TRUE(f.at("best")[0].at("seconds").is_null());
  const outcome o = run_weir("predict " + file + " --x 100 --cores 1,4,8");
  EXPECT_NE(o.out.find("best at x = 100: not known: what further cores bring is assumed, not learnt\n"),
            std::string::npos)
      << o.out;
}

// Invariant: every run of a folder has its model asked, and none of them names a best number: nothing tells which one
// fits.
TEST_F(weir_predict, asks_every_run_of_a_folder_and_names_no_best_number) {
  const std::map<std::string, saved_model> both{{"f", saved("weir", 3, cubic_rows("f"))},
                                                {"g", saved("weir", 0, {{"g", 1, 1, 2.0}})}};
  const std::string folder = folder_.at("runs");
  std::filesystem::create_directory(folder);
  write_file(folder + "/monday.json", write_models(both));
  write_file(folder + "/large.json", write_models(both));
  const json all = predicted(folder + " --x 200 --cores 1,4"),
             f = predicted(folder + " --x 200 --cores 4 --component f");
  ASSERT_EQ(all.size(), 4u);
  ASSERT_EQ(f.size(), 2u);
  EXPECT_EQ(f[0].at("run"), "large.json");
  EXPECT_EQ(f[1].at("run"), "monday.json");
  const json alone = predicted(folder + "/large.json --x 200 --cores 1,4 --component f")[0];
  EXPECT_EQ(all[0].at("table"), alone.at("table"));
  EXPECT_FALSE(alone.contains("run"));
  EXPECT_EQ(alone.at("best")[0].at("cores"), 4);
  for (const json& one : all) EXPECT_TRUE(one.at("best")[0].at("cores").is_null()) << one.at("run");
  const outcome o = run_weir("predict " + folder + " --x 200 --cores 1,4");
  EXPECT_NE(o.out.find("f of large.json: weir, degree 3\n"), std::string::npos) << o.out;
  EXPECT_NE(o.out.find("best at x = 200: not known: nothing tells yet which run of the folder fits\n"),
            std::string::npos)
      << o.out;
  expect_refused("predict " + folder + " --x 200 --cores 1 --component h", "has no component \"h\"; there are f, g");
}

// Invariant: each run's model says on which machine it learnt, where the file says so.
TEST_F(weir_predict, says_which_machine_a_model_of_a_folder_came_from) {
  saved_model one = saved("weir", 3, cubic_rows("f"));
  const std::string folder = folder_.at("runs");
  std::filesystem::create_directory(folder);
  write_file(folder + "/a_older.json", write_models({{"f", one}}));
  one.machine = "A processor, 64 cores";
  write_file(folder + "/newer.json", write_models({{"f", one}}));
  const json all = predicted(folder + " --x 200 --cores 1");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].at("machine").is_null());
  EXPECT_EQ(all[1].at("machine"), one.machine);
  const std::string text = run_weir("predict " + folder + " --x 200 --cores 1").out;
  const std::size_t said = text.find("  learnt on A processor, 64 cores\n");
  ASSERT_NE(said, std::string::npos) << text;
  EXPECT_GT(said, text.find("f of newer.json")) << text;
  EXPECT_EQ(text.find("  learnt on", said + 1), std::string::npos) << text;
}

TEST_F(weir_predict, prints_a_table) {
  const outcome o =
      run_weir("predict " + model({{"f", saved("weir", 3, cubic_rows("f"))}}) + " --x 200,5000 --cores 1,4");
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* const what : {"f: weir, degree 3\n", "Tseq(x) = ", "observed: x = 100 .. 1000, cores = 1 .. 8",
                                 "p99", "90 % within", "speedup", "  extrapolated\n", "best at x = 200: 4 cores, ",
                                 "best at x = 5000: 4 cores, ", "(outside of what was observed)"})
    EXPECT_NE(o.out.find(what), std::string::npos) << "\"" << what << "\" is not in\n" << o.out;
}

// ---- invalid input ----

// "MODEL" stands for a good file with components f and g, "BAD" for one with `text`.
struct bad_predict {
  const char* what;  // for the name of the test
  const char* arguments;
  const char* names;  // is in the line
  const char* text = "";
};

void PrintTo(const bad_predict& c, std::ostream* to) { *to << c.arguments << " " << c.text; }

class bad_input_of_predict : public ::testing::TestWithParam<bad_predict> {};

TEST_P(bad_input_of_predict, is_one_line_and_exit_code_2) {
  const scratch_folder folder;
  const saved_model one = saved("weir", 0, {{"f", 1, 1, 2.0}});
  const std::string good = write_file(folder.at("good.json"), write_models({{"f", one}, {"g", one}}));
  const std::string bad = write_file(folder.at("bad.json"), GetParam().text);
  const std::string arguments = with_paths(GetParam().arguments, {{"MODEL", good}, {"BAD", bad}});
  for (const char* const how : {"", " --json"}) {
    expect_refused("predict " + arguments + how, GetParam().names);
  }
}

const bad_predict bad_predicts[] = {
    {"no_file", "--x 1 --cores 1", "MODEL"},
    {"no_x", "MODEL --cores 1", "--x"},
    {"no_cores", "MODEL --x 1", "--cores"},
    {"file_missing", "/no/such/model.json --x 1 --cores 1", "/no/such/model.json cannot be read"},
    {"folder_without_models", "/proc/self/fd --x 1 --cores 1", "/proc/self/fd: no file in it ends in .json"},
    {"file_endless", "/dev/zero --x 1 --cores 1", "/dev/zero is longer than 64 MB"},
    {"file_empty", "BAD --x 1 --cores 1", "bad.json: saved models: "},
    {"file_is_a_table", "BAD --x 1 --cores 1", "bad.json: saved models: ", "component,x,cores,seconds\nf,1,1,1\n"},
    {"file_cut", "BAD --x 1 --cores 1", "bad.json: saved models: ", "{\"weir_models\": 1, \"components\": {\"f\": "},
    {"file_newer", "BAD --x 1 --cores 1", "bad.json: saved models: format version 2",
     "{\"weir_models\": 2, \"components\": {}}"},
    {"file_without_models", "BAD --x 1 --cores 1", "bad.json: there is no model in it",
     "{\"weir_models\": 1, \"components\": {}}"},
    {"estimator", "BAD --x 1 --cores 1", "bad.json: component \"f\": no estimator is named 'oracle'",
     "{\"weir_models\": 1, \"components\": {\"f\": {\"estimator\": \"oracle\", \"degree\": 1, \"state\": []}}}"},
    {"degree", "BAD --x 1 --cores 1", "bad.json: component \"f\": estimator degree 99",
     "{\"weir_models\": 1, \"components\": {\"f\": {\"estimator\": \"weir\", \"degree\": 99, \"state\": []}}}"},
    {"state", "BAD --x 1 --cores 1", "bad.json: component \"f\": its state of 2 numbers does not fit",
     "{\"weir_models\": 1, \"components\": {\"f\": {\"estimator\": \"weir\", \"degree\": 1, \"state\": [1, 2]}}}"},
    {"state_text", "BAD --x 1 --cores 1", "bad.json: saved models: ",
     "{\"weir_models\": 1, \"components\": {\"f\": {\"estimator\": \"weir\", \"degree\": 1, \"state\": [\"x\"]}}}"},
    {"component", "MODEL --x 1 --cores 1 --component h", "no component \"h\"; there are f, g"},
    {"x_text", "MODEL --x big --cores 1", "--x: \"big\" is not a number"},
    {"x_empty", "MODEL --x 1,,2 --cores 1", "--x: \"\" is not a number"},
    {"x_negative", "MODEL --x=-1 --cores 1", "--x: -1 is not in"},
    {"x_huge", "MODEL --x 1e308 --cores 1", "--x: 1e308 is not in 0..1e+30"},
    {"x_infinite", "MODEL --x inf --cores 1", "--x: \"inf\""},
    {"x_twice", "MODEL --x 1,2,1.0 --cores 1", "--x: 1 is listed twice"},
    {"x_range_backwards", "MODEL --x 2:1:1 --cores 1", "--x: in \"2:1:1\" 2 is more than 1"},
    {"x_range_step_0", "MODEL --x 1:2:0 --cores 1", "--x: in \"1:2:0\" the step is 0"},
    {"x_range_junk", "MODEL --x 1:2 --cores 1", "--x: \"1:2\" is not LO:HI:STEP"},
    {"x_range_endless", "MODEL --x 0:1:1e-300 --cores 1", "is more than 1000000 numbers"},
    {"cores_0", "MODEL --x 1 --cores 0", "--cores: 0 is not in 1.."},
    {"cores_fraction", "MODEL --x 1 --cores 1.5", "--cores: \"1.5\" is not a whole number"},
    {"cores_twice", "MODEL --x 1 --cores 2,1:4:1", "--cores: 2 is listed twice"},
    {"rows_too_many", "MODEL --x 1:2000:1 --cores 1:2000:1", "--x and --cores: 2000 x 2000 is more than"},
};

INSTANTIATE_TEST_SUITE_P(weir_predict, bad_input_of_predict, ::testing::ValuesIn(bad_predicts),
                         [](const auto& one) { return std::string(one.param.what); });

}  // namespace
}  // namespace weir::testing

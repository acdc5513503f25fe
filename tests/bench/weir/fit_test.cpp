#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <weir/model/named/estimators.hpp>
#include <weir/options/saved_models.hpp>
#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"

namespace weir::testing {
namespace {

using nlohmann::json;

// A file of observations, and the command on it.
class weir_fit : public ::testing::Test {
 protected:
  std::string observations(const std::string& text) const { return write_file(folder_.at("o.csv"), text); }
  std::string truth(const std::string& text) const { return write_file(folder_.at("t.csv"), text); }

  static json fitted(const std::string& arguments) {
    const outcome o = run_weir("fit --json " + arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return o.code == 0 ? o.json().at("components") : json::array();
  }

  static std::string text_of(const std::string& arguments) {
    const outcome o = run_weir("fit " + arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return o.out;
  }

  const scratch_folder folder_;
};

std::string notes_of(const json& component) {
  std::string all;
  for (const json& note : component.at("notes")) all += note.get<std::string>() + "\n";
  return all;
}

void expect_says(const std::string& text, const std::string& what) {
  EXPECT_NE(text.find(what), std::string::npos) << "\"" << what << "\" is not in\n" << text;
}

constexpr double exactly = 1e-4;  // percent: one part in a million

TEST_F(weir_fit, recovers_a_law_without_noise) {
  const json all = fitted(observations(as_csv(cubic_rows("f"))) + " --test " +
                          truth(as_csv(cubic_rows("f", 150, 1950, {1, 3, 16}))));
  ASSERT_EQ(all.size(), 1u);
  const json& f = all[0];
  EXPECT_NEAR(f.at("alpha").get<double>(), 0.9, 1e-6);
  EXPECT_EQ(f.at("serial_fraction").get<double>(), 1 - f.at("alpha").get<double>());
  EXPECT_TRUE(f.at("alpha_known").get<bool>());
  EXPECT_LT(f.at("error_percent").at("max").get<double>(), exactly);
  EXPECT_LT(f.at("test_error_percent").at("max").get<double>(), exactly);
  ASSERT_EQ(f.at("coefficients").size(), 4u);
  EXPECT_NEAR(f.at("coefficients")[1].get<double>(), 1e-6, 1e-10);
  EXPECT_NEAR(f.at("coefficients")[3].get<double>(), 1e-9, 1e-14);
}

TEST_F(weir_fit, gives_the_stable_keys) {
  const auto rows = scattered_rows("f", 60);
  const json all = fitted(observations(as_csv(rows)));
  ASSERT_EQ(all.size(), 1u);
  const json& f = all[0];
  EXPECT_EQ(f.at("name"), "f");
  EXPECT_EQ(f.at("estimator"), "weir");
  EXPECT_EQ(f.at("degree"), 3);
  EXPECT_EQ(f.at("coefficients").size(), 4u);
  EXPECT_EQ(f.at("observations"), 60);
  EXPECT_EQ(f.at("skipped"), 0);
  for (const char* const key : {"alpha", "serial_fraction", "contention", "fork_join", "scatter", "confidence"})
    EXPECT_TRUE(f.at(key).is_number()) << key;
  EXPECT_TRUE(f.at("test_error_percent").is_null());
  EXPECT_TRUE(f.at("notes").empty()) << f.at("notes");
  expect_says(f.at("words").get<std::string>(), "Tseq(x) = ");
  ASSERT_EQ(f.at("predictions").size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const json& p = f.at("predictions")[i];
    EXPECT_EQ(p.at("x"), rows[i].x);
    EXPECT_EQ(p.at("cores"), rows[i].cores);
    EXPECT_EQ(p.at("seconds"), rows[i].seconds);
    EXPECT_GT(p.at("predicted").get<double>(), 0);
    EXPECT_GT(p.at("sd").get<double>(), 0);
  }
}

// The printed errors are those of the printed predictions.
TEST_F(weir_fit, counts_errors_against_what_was_seen) {
  const json f = fitted(observations(as_csv(scattered_rows("f", 41))))[0];
  std::vector<double> errors;
  for (const json& p : f.at("predictions"))
    errors.push_back(100 * std::abs(p.at("predicted").get<double>() - p.at("seconds").get<double>()) /
                     p.at("seconds").get<double>());
  std::sort(errors.begin(), errors.end());
  const json& said = f.at("error_percent");
  EXPECT_DOUBLE_EQ(said.at("median").get<double>(), errors[20]);
  EXPECT_DOUBLE_EQ(said.at("p95").get<double>(), errors[38]);
  EXPECT_DOUBLE_EQ(said.at("max").get<double>(), errors[40]);
  EXPECT_EQ(f.at("fit_error_percent"), said);
}

// For every estimator, the printed prediction of a row comes from a model that has seen exactly the rows before it.
TEST_F(weir_fit, online_predicts_each_row_before_it_learns_it) {
  const auto rows = scattered_rows("f", 80);
  const std::string file = observations(as_csv(rows));
  for (const std::string& name : estimator_names()) {
    SCOPED_TRACE(name);
    const json f = fitted(file + " --online --estimator " + name)[0];
    ASSERT_EQ(f.at("predictions").size(), rows.size());
    const auto model = make_estimator(name, degree{3});
    std::vector<double> errors;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const prediction expected = model->predict(rows[i].x, rows[i].cores);
      const json& got = f.at("predictions")[i];
      SCOPED_TRACE("row " + std::to_string(i));
      expect_number(got.at("predicted"), expected.mean);
      expect_number(got.at("sd"), expected.spread);
      if (std::isfinite(expected.mean))
        errors.push_back(100 * std::abs(expected.mean - rows[i].seconds) / rows[i].seconds);
      model->observe(as_observation(rows[i]));
    }
    ASSERT_FALSE(errors.empty());
    EXPECT_EQ(f.at("error_percent").at("max").get<double>(), *std::max_element(errors.begin(), errors.end()));
    expect_number(f.at("alpha"), model->describe().alpha);  // at the end everything was learnt
    EXPECT_NE(f.at("error_percent"), f.at("fit_error_percent"));
  }
}

TEST_F(weir_fit, test_is_predicted_by_what_the_observations_taught) {
  const auto rows = scattered_rows("f", 60);
  const auto tests = cubic_rows("f", 100, 500, {3});
  for (const char* const how : {"", " --online"}) {
    const json f = fitted(observations(as_csv(rows)) + " --test " + truth(as_csv(tests)) + how)[0];
    const auto model = taught("weir", 3, rows);
    EXPECT_EQ(f.at("observations"), 60) << "nothing is learnt from the test";
    ASSERT_EQ(f.at("predictions").size(), tests.size());
    for (std::size_t i = 0; i < tests.size(); ++i)
      EXPECT_EQ(f.at("predictions")[i].at("predicted").get<double>(), model->predict(tests[i].x, 3).mean);
    EXPECT_GT(f.at("test_error_percent").at("median").get<double>(), 0);
  }
}

TEST_F(weir_fit, learns_a_model_for_each_component_from_rows_that_alternate) {
  const auto f = scattered_rows("f", 40), g = cubic_rows("\"g, too\"");
  std::vector<made_row> rows;
  for (std::size_t i = 0; i < f.size(); ++i) rows.insert(rows.end(), {f[i], g[i]});
  const json all = fitted(observations(as_csv(rows)));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].at("name"), "f");
  EXPECT_EQ(all[1].at("name"), "g, too");
  EXPECT_EQ(all[1].at("observations"), 40);
  EXPECT_LT(all[1].at("error_percent").at("max").get<double>(), exactly);
}

TEST_F(weir_fit, leaves_out_rows_right_after_a_move) {
  std::string text = "component,x,cores,seconds,after_move\n";
  for (const made_row& r : cubic_rows("f")) {
    const std::string row = lines_of(as_csv({r}))[1];
    text += row + ",0\n" + row.substr(0, row.rfind(',')) + ",1000,1\n";
  }
  const json f = fitted(observations(text) + " --test " + observations(text))[0];
  EXPECT_EQ(f.at("observations"), 40);
  EXPECT_EQ(f.at("skipped"), 40);
  EXPECT_EQ(f.at("predictions").size(), 40u);
  EXPECT_LT(f.at("error_percent").at("max").get<double>(), exactly);
  expect_says(notes_of(f), "40 rows right after a move left out");
  expect_says(notes_of(f), "40 rows right after a move left out of the test");
}

TEST_F(weir_fit, cpu_time_is_learnt_where_it_was_read) {
  std::string text = "component,x,cores,seconds,cpu_seconds\nf,100,1,7,0\n";
  for (const made_row& r : cubic_rows("f")) {
    const std::string row = lines_of(as_csv({r}))[1];
    text += row.substr(0, row.rfind(',')) + ",7" + row.substr(row.rfind(',')) + "\n";
  }
  const json f = fitted(observations(text) + " --time cpu")[0];
  EXPECT_EQ(f.at("observations"), 40);
  EXPECT_LT(f.at("error_percent").at("max").get<double>(), exactly);
  EXPECT_EQ(f.at("predictions")[0].at("seconds"), cubic_cost(100, 1));
  expect_says(notes_of(f), "1 row left out: CPU time was not read");
  EXPECT_EQ(fitted(observations(text))[0].at("predictions")[5].at("seconds"), 7) << "wall time is the default";
}

// ---- the degree ----

TEST_F(weir_fit, degree_is_of_all_components_or_by_name) {
  const std::string file = observations(as_csv(cubic_rows("f")) + rows_text(cubic_rows("\"g,h\"")));
  const auto degrees = [&](const std::string& arguments) {
    std::vector<int> all;
    for (const json& c : fitted(file + arguments)) all.push_back(c.at("degree").get<int>());
    return all;
  };
  EXPECT_EQ(degrees(""), (std::vector{3, 3}));
  EXPECT_EQ(degrees(" --degree 2"), (std::vector{2, 2}));
  EXPECT_EQ(degrees(" --degree f=1"), (std::vector{1, 3}));
  EXPECT_EQ(degrees(" --degree f=1,g,h=5"), (std::vector{1, 5}));
}

TEST_F(weir_fit, degree_above_what_the_data_carry_is_lowered_and_said) {
  const std::string file = observations(as_csv(cubic_rows("f", 100, 200)));
  const json by_default = fitted(file)[0];
  EXPECT_EQ(by_default.at("degree"), 1);
  EXPECT_EQ(by_default.at("coefficients").size(), 2u);
  expect_says(notes_of(by_default), "degree 3 by default, data carry 1 (2 different x): fitted degree 1");
  for (const char* const how : {" --degree 5", " --degree f=5"})
    expect_says(notes_of(fitted(file + how)[0]), "degree 5 asked, data carry 1 (2 different x): fitted degree 1");
  EXPECT_EQ(notes_of(fitted(file + " --degree 1")[0]), "");
}

// ---- questions that the data cannot answer ----

TEST_F(weir_fit, one_x_or_one_p_is_noted) {
  const json one_x = fitted(observations(as_csv(cubic_rows("f", 300, 300))))[0];
  EXPECT_EQ(one_x.at("degree"), 0);
  expect_says(notes_of(one_x), "one x seen (300)");
  const json one_p = fitted(observations(as_csv(cubic_rows("f", 100, 1000, {4}))))[0];
  expect_says(notes_of(one_p), "one p seen (4): alpha is assumed");
  EXPECT_FALSE(one_p.at("alpha_known").get<bool>());
  expect_says(text_of(observations(as_csv({{"f", 1, 1, 2.5}}))), "Tseq(x) = 2.5");
}

TEST_F(weir_fit, nothing_to_learn_from_is_noted) {
  const std::string file = observations("component,x,cores,seconds,after_move\nf,1,1,1,1\ng,1,1,2,0\n");
  const json all = fitted(file);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].at("observations"), 0);
  EXPECT_TRUE(all[0].at("error_percent").at("median").is_null());
  EXPECT_TRUE(all[0].at("predictions").empty());
  expect_says(notes_of(all[0]), "nothing to learn from");
  EXPECT_EQ(all[1].at("observations"), 1);
  expect_says(text_of(file), "nothing observed yet");
  expect_says(text_of(file + " --estimator all"), "nothing to learn from");
}

TEST_F(weir_fit, a_component_without_a_test_says_so) {
  const std::string file = observations("component,x,cores,seconds\nf,1,1,1\ng,1,1,2\n");
  const json all = fitted(file + " --test " + truth("component,x,cores,seconds\ng,1,1,2\n"));
  EXPECT_TRUE(all[0].at("test_error_percent").is_null());
  EXPECT_TRUE(all[0].at("predictions").empty());
  expect_says(notes_of(all[0]), "t.csv has no row to test it on");
  EXPECT_NEAR(all[1].at("test_error_percent").at("max").get<double>(), 0, exactly);
}

// ---- every estimator ----

TEST_F(weir_fit, all_is_an_entry_for_each_estimator_and_component) {
  const auto rows = scattered_rows("f", 60);
  const std::string file = observations(as_csv(rows) + "g,1,1,1\n");
  const json all = fitted(file + " --estimator all");
  ASSERT_EQ(all.size(), 2 * estimator_names().size());
  for (std::size_t i = 0; i < estimator_names().size(); ++i) {
    EXPECT_EQ(all[i].at("name"), "f");
    EXPECT_EQ(all[i].at("estimator"), estimator_names()[i]);
    expect_number(all[i].at("alpha"), taught(estimator_names()[i], 3, rows)->describe().alpha);
    EXPECT_EQ(all[i + estimator_names().size()].at("name"), "g");
  }
}

TEST_F(weir_fit, all_is_a_row_for_each_estimator_in_a_table_for_each_component) {
  const std::string file = observations(as_csv(scattered_rows("f", 60)) + "g,1,1,1\n");
  for (const std::string& how : {std::string(), std::string(" --online"), " --test " + file}) {
    const std::string text = text_of(file + " --estimator all" + how);
    expect_says(text, "f: 60 rows\n");
    expect_says(text, "g: 1 row\n");
    for (const std::string& name : estimator_names()) expect_says(text, "\n  " + name + " ");
    EXPECT_EQ(text.find("one p seen"), text.rfind("one p seen")) << "what all of them note stands once\n" << text;
  }
}

TEST_F(weir_fit, says_in_words_what_was_learnt_and_how_far_it_is_off) {
  const std::string file = observations(as_csv(scattered_rows("f", 60)));
  const std::string text = text_of(file + " --online --test " + file);
  for (const char* const what :
       {"f: weir, degree 3\n", "Tseq(x) = ", "60 observations", "serial share", "contention", "fork-join", "scatter",
        "confidence", "median", "95 % within", "max", "of what it learnt from (60 rows)",
        "of what it foresaw of each row (", "o.csv (60 rows)"})
    expect_says(text, what);
}

// ---- saved models ----

TEST_F(weir_fit, saves_models_as_they_were_learnt) {
  const auto rows = scattered_rows("f", 60);
  for (const std::string& name : estimator_names()) {
    SCOPED_TRACE(name);
    const std::string path = folder_.at("model.json");
    fitted(observations(as_csv(rows) + "g,1,1,1\n") + " --degree f=2 --save " + path + " --estimator " + name);
    const auto models = read_models(contents(path));
    ASSERT_EQ(models.size(), 2u);
    EXPECT_EQ(models.at("f").estimator, name);
    EXPECT_EQ(models.at("f").degree, 2);
    EXPECT_EQ(models.at("f").state, taught(name, 2, rows)->state()) << "every number, to the last bit";
    EXPECT_EQ(models.at("g").degree, 0);
  }
}

// ---- invalid input ----

// Refused in one line that names the input, with exit code 2, before anything is printed or written. "OBS" stands for a
// good file of components f and g, "BAD" for one with `text`.
struct bad_fit {
  const char* what;  // for the name of the test
  const char* arguments;
  const char* names;  // is in the line
  const char* text = "component,x,cores,seconds\nf,1,1,1\nf,1,one,1\n";
};

void PrintTo(const bad_fit& c, std::ostream* to) { *to << c.arguments; }

class bad_input_of_fit : public ::testing::TestWithParam<bad_fit> {};

TEST_P(bad_input_of_fit, is_one_line_and_exit_code_2) {
  const scratch_folder folder, written;
  const std::string good = write_file(folder.at("good.csv"), "component,x,cores,seconds\nf,1,1,1\ng,1,1,2\n");
  const std::string bad = write_file(folder.at("bad.csv"), GetParam().text);
  std::string arguments = with_paths(GetParam().arguments, {{"OBS", good}, {"BAD", bad}});
  if (arguments.find("--save") == std::string::npos) arguments += " --save " + written.at("model.json");
  for (const char* const how : {"", " --json"}) {
    expect_refused("fit " + arguments + how, GetParam().names);
  }
  EXPECT_TRUE(written.is_empty());
}

const bad_fit bad_fits[] = {
    {"no_file", "", "OBS.csv"},
    {"file_missing", "/no/such/file.csv", "/no/such/file.csv cannot be read: No such file"},
    {"file_is_a_folder", "/", "/ is a folder"},
    {"file_is_not_a_table", "/dev/zero", "/dev/zero: line 1"},
    {"file_empty", "BAD", "bad.csv is empty", ""},
    {"no_rows", "BAD", "bad.csv has no rows", "component,x,cores,seconds\n\n"},
    {"number", "BAD", "bad.csv: line 3: column cores: \"one\""},
    {"number_in_the_test", "OBS --test BAD", "bad.csv: line 3: column cores: \"one\""},
    {"test_missing", "OBS --test /no/such/file.csv", "/no/such/file.csv"},
    {"test_of_another_component", "OBS --test BAD", "good.csv has no component \"h\"; there are f, g",
     "component,x,cores,seconds\nh,1,1,1\n"},
    {"estimator", "OBS --estimator oracle", "--estimator: no estimator is named 'oracle'"},
    {"estimator_empty", "OBS --estimator ''", "--estimator: an empty value"},
    {"degree_empty", "OBS --degree ''", "--degree: an empty value"},
    {"degree_text", "OBS --degree three", "--degree: \"three\""},
    {"degree_negative", "OBS --degree=-1", "--degree: -1"},
    {"degree_too_large", "OBS --degree 9", "degree 9 is outside 0..8"},
    {"degree_by_name_too_large", "OBS --degree f=9", "degree 9 is outside 0..8"},
    {"degree_by_name_text", "OBS --degree f=x", "--degree: \"x\""},
    {"degree_of_nobody", "OBS --degree h=1", "--degree: "},
    {"degree_names_who_there_is", "OBS --degree h=1", "no component \"h\"; there are f, g"},
    {"degree_twice", "OBS --degree f=1,f=2", "\"f\" is named twice"},
    {"degree_without_number", "OBS --degree f=1,g", "\"g\" is not COMPONENT=DEGREE"},
    {"degree_without_name", "OBS --degree =1", "names no component"},
    {"time", "OBS --time elapsed", "--time: there is no time \"elapsed\""},
    {"time_not_there", "OBS --time cpu", "column cpu_seconds is missing"},
    {"time_never_read", "BAD --time cpu", "column cpu_seconds is 0 in every row",
     "component,x,cores,seconds,cpu_seconds\nf,1,1,1,0\n"},
    {"save_of_all", "OBS --estimator all", "--save"},
    {"save_in_no_folder", "OBS --save /no/such/folder/model.json", "--save: /no/such/folder/model.json"},
    {"save_over_what_is_read", "OBS --save OBS", "good.csv is read"},
    {"save_over_the_test", "BAD --test OBS --save OBS", "good.csv is read"},
    {"unknown_option", "OBS --onlin", "--onlin"},
    {"stray_argument", "OBS OBS", "good.csv"},
};

INSTANTIATE_TEST_SUITE_P(weir_fit, bad_input_of_fit, ::testing::ValuesIn(bad_fits),
                         [](const auto& one) { return std::string(one.param.what); });

}  // namespace
}  // namespace weir::testing

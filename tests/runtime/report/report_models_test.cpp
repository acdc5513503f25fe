#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include "tests/runtime/report/a_report.hpp"
#include "tests/support/json.hpp"
#include "tests/support/refusal.hpp"

// The models of a run predict, and go from one run to the next.
namespace weir::report_test {
namespace {

TEST_F(a_report, predicts_what_a_model_does_that_was_shown_the_same) {
  seen all;
  options o = four_cores();
  o.estimator = "extended-amdahl-online";
  o.policy = fixed_shares{{"f", 1}};
  collect_into(all, o);
  execution run = start(
      box("f", takes(n), gives(n), work).predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1}),
      o);
  constexpr int count = 60;  // so few that a learner shows each one to its model
  for (int i = 0; i < count; ++i) run.send(n = 50 + i % 50);
  run.close();
  run.wait();
  ASSERT_EQ(all.by_component["f"].size(), static_cast<std::size_t>(count));
  const auto shown = make_estimator(o.estimator, degree{1});
  for (const observation& one : all.by_component["f"]) shown->observe(one);
  for (const int cores_given : {1, 3})
    for (const double x : {50.0, 75.0, 100.0}) {
      const prediction said = run.predict("f", x, cores{cores_given}), expected = shown->predict(x, cores_given);
      EXPECT_EQ(said.mean, expected.mean);
      EXPECT_EQ(said.confidence, expected.confidence);
      EXPECT_GT(said.confidence, 0);
    }
}

TEST_F(a_report, predicts_only_for_components_that_exist) {
  execution run = start(counted(), four_cores());
  EXPECT_EQ(testing::refusal<std::invalid_argument>([&] { run.predict("multiply", 1, cores{1}); }),
            "predict: no component is named 'multiply'; there are work, count, even, twice, fails");
}

// Fewer cores than one are no question.
TEST_F(a_report, predicts_for_one_core_or_more) {
  execution run = start(counted(), four_cores());
  for (const int none : {0, -1})
    EXPECT_EQ(testing::refusal<std::invalid_argument>([&] { run.predict("work", 1, cores{none}); }),
              "predict: cores{" + std::to_string(none) + "}, expected were 1 or more");
}

network modelled() {
  return box("f", takes(n), gives(n), work)
      .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{2});
}

std::map<std::string, saved_model> learnt(const std::string& estimator = "weir") {
  options o = four_cores();
  o.estimator = estimator;
  o.policy = fixed_shares{{"f", 1}};
  execution run = start(modelled(), o);
  for (int i = 0; i < 300; ++i) run.send(n = 1 + i % 60);
  run.close();
  run.wait();
  return run.models();
}

TEST_F(a_report, s_models_survive_being_written_and_read_exactly) {
  for (const std::string& estimator : estimator_names()) {
    SCOPED_TRACE(estimator);
    const auto models = learnt(estimator);
    ASSERT_EQ(models.size(), 1u);
    EXPECT_EQ(models.at("f").degree, 2);
    const auto again = read_models(write_models(models));
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again.at("f").estimator, models.at("f").estimator);
    EXPECT_EQ(again.at("f").degree, models.at("f").degree);
    EXPECT_EQ(again.at("f").state, models.at("f").state) << "every number, to the last bit";
  }
  EXPECT_TRUE(read_models(write_models({})).empty());
}

TEST_F(a_report, s_models_predict_in_the_next_run_what_they_did_in_the_last) {
  const auto models = learnt();
  options o = four_cores();
  o.prior_models = read_models(write_models(models));
  execution one = start(modelled(), o), other = start(modelled(), o);
  const prediction p = one.predict("f", 40, cores{1});
  EXPECT_GT(p.mean, 0) << "before the first record";
  EXPECT_EQ(p.mean, other.predict("f", 40, cores{1}).mean);
  EXPECT_EQ(one.models().at("f").state, models.at("f").state);
}

// Invariant: a model says on which machine it learnt, in its file as well, and an older file does not.
TEST_F(a_report, s_models_say_the_machine_that_they_learnt_on) {
  const auto models = learnt();
  const std::string here = topology::synthetic("core:4 pu:1").description();
  EXPECT_EQ(here, "synthetic, 4 cores, 1 package, 1 NUMA node, 1 L3");
  EXPECT_EQ(models.at("f").machine, here);
  EXPECT_EQ(read_models(write_models(models)).at("f").machine, here);
  EXPECT_EQ(read_models(R"({"weir_models": 1, "components": {"f": {"estimator": "weir", "degree": 2, "state": []}}})")
                .at("f")
                .machine,
            "");
}

// Invariant: a run that starts from another machine's model says so. The model is that machine's until the run has
// observed something.
TEST_F(a_report, names_the_other_machine_that_a_prior_model_learnt_on) {
  options o = four_cores();
  o.prior_models = learnt();
  const std::string here = o.prior_models.at("f").machine, there = "A processor, 64 cores";
  EXPECT_TRUE(start(modelled(), o).report().notes.empty()) << "the same machine";
  o.prior_models.at("f").machine = there;
  execution run = start(modelled(), o);
  EXPECT_EQ(run.report().notes, (std::vector<std::string>{"options.prior_models: the model for 'f' was learnt on " +
                                                          there + "; this machine is " + here}));
  EXPECT_EQ(run.models().at("f").machine, there);
  for (int i = 0; i < 300; ++i) run.send(n = 1 + i % 60);
  run.close();
  run.wait();
  EXPECT_EQ(run.models().at("f").machine, here);
  o.prior_models.at("f").machine.clear();
  EXPECT_TRUE(start(modelled(), o).report().notes.empty()) << "an older file";
}

TEST_F(a_report, s_models_are_refused_where_they_do_not_fit) {
  options o = four_cores();
  o.prior_models = learnt();
  const auto refused = [&](const network& net) {
    return testing::refusal<std::invalid_argument>([&] { start(net, o); });
  };
  const network other_degree =
      box("f", takes(n), gives(n), work).predicted_by([](std::int64_t v) { return double(v); }, degree{3});
  EXPECT_NE(refused(other_degree).find("has degree 2, expected was"), std::string::npos) << refused(other_degree);
  o.prior_models.at("f").state.pop_back();
  EXPECT_NE(refused(modelled()), testing::nothing_refused) << "a state that is too short";
  o.prior_models = learnt();
  o.prior_models.at("f").estimator = "oracle";
  EXPECT_NE(refused(modelled()).find("oracle"), std::string::npos);
  o.prior_models = learnt();
  o.prior_models["g"] = o.prior_models.at("f");
  EXPECT_EQ(refused(modelled()), "options.prior_models: no component is named 'g'");
}

TEST_F(a_report, s_models_as_damaged_text_are_refused_in_words) {
  const std::string good = write_models(learnt());
  const auto refused = [&](const std::string& text) {
    return testing::refusal<std::invalid_argument>([&] { read_models(text); });
  };
  for (std::size_t cut = 0; cut + 2 < good.size(); cut += 1 + good.size() / 200)
    EXPECT_EQ(refused(good.substr(0, cut)).rfind("saved models: ", 0), 0u) << "cut after " << cut << " characters";
  EXPECT_NE(refused("[]").find("'weir_models'"), std::string::npos);
  EXPECT_NE(refused("{}").find("'weir_models'"), std::string::npos);
  EXPECT_EQ(refused(R"({"weir_models": 2, "components": {}})"),
            "saved models: format version 2, this weir reads version 1");
  for (const char* number : {"1e300", "1.5", "4294967297", "18446744073709551615", "-9223372036854775808"})
    EXPECT_EQ(refused(std::string(R"({"weir_models": )") + number + R"(, "components": {}})"),
              "saved models: 'weir_models' is " + parsed(number).dump() + ", expected was a whole number");
  for (const char* bad :
       {R"({"weir_models": "1", "components": {}})", R"({"weir_models": 1})",
        R"({"weir_models": 1, "components": {"f": {}}})", R"({"weir_models": 1, "components": {"f": 3}})",
        R"({"weir_models": 1, "components": {"f": {"estimator": 5, "degree": 1, "state": []}}})",
        R"({"weir_models": 1, "components": {"f": {"estimator": "weir", "degree": "x", "state": []}}})",
        R"({"weir_models": 1, "components": {"f": {"estimator": "weir", "degree": 1, "state": [1, "x"]}}})"})
    EXPECT_EQ(refused(bad).rfind("saved models: ", 0), 0u) << bad << "\n" << refused(bad);
  // A fault is reported in weir's words, with its place.
  const auto models = [](const std::string& f) { return R"({"weir_models": 1, "components": {"f": )" + f + "}}"; };
  EXPECT_EQ(refused(R"({"weir_models": nul})"),
            "saved models: invalid JSON at line 1, column 20: invalid literal; last read: '\"weir_models\": nul}'");
  EXPECT_EQ(refused(models("3")), "saved models: component 'f': expected was an object");
  EXPECT_EQ(refused(models("{}")), "saved models: component 'f': key 'estimator' is missing");
  EXPECT_EQ(refused(models(R"({"estimator": 5, "degree": 1, "state": []})")),
            "saved models: component 'f': 'estimator' is 5, expected was text");
  EXPECT_EQ(refused(models(R"({"estimator": "weir", "degree": 1, "state": [1, "x"]})")),
            "saved models: component 'f': 'state' is \"x\", expected was a list of numbers");
  EXPECT_EQ(refused(R"({"weir_models": 1, "components": [1e999]})"), "saved models: the number '1e999' is too large");
  EXPECT_EQ(refused(R"({"weir_models": 1, "components": []})"),
            "saved models: 'components' is [], expected was an object");
}

}  // namespace
}  // namespace weir::report_test

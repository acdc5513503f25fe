#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/model/named/estimators.hpp>
#include "tests/runtime/report/a_report.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch_folder.hpp"

// Runs that start from the models of several earlier ones.
namespace weir::report_test {
namespace {

namespace fs = std::filesystem;

network squared(int k = 2) {
  return box("f", takes(n), gives(n), [](std::int64_t v) { return v; })
      .predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{k});
}

// A model that was shown `seconds` times x on 1 to 4 cores.
saved_model linear(double seconds, const std::string& estimator = "weir", int k = 2) {
  const auto made = make_estimator(estimator, degree{k});
  for (int i = 0; i < 60; ++i)
    made->observe({.x = 1.0 + i, .cores = 1 + i % 4, .seconds = seconds * (1 + i) / (1 + i % 4)});
  return {estimator, k, made->state()};
}

options from(std::vector<saved_run> runs) {
  options o = four_cores();
  o.prior_runs = std::move(runs);
  return o;
}

std::string refused(const auto& call) { return testing::refusal<std::invalid_argument>(call); }

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

// Invariant: no prior is chosen by itself, so before the first record the cost is unknown.
TEST_F(a_report, of_a_run_with_several_priors_predicts_nothing_before_the_first_record) {
  execution run = start(squared(), from({{"a", {{"f", linear(1e-3)}}}, {"b", {{"f", linear(2e-3)}}}}));
  EXPECT_TRUE(std::isnan(run.predict("f", 40, cores{1}).mean));
  EXPECT_TRUE(run.report().notes.empty());
}

// Invariant: what a run saves is one model, whatever it began with.
TEST_F(a_report, s_models_are_as_ever_where_it_began_with_several_priors) {
  execution run = start(squared(), from({{"a", {{"f", linear(1e-3)}}}, {"b", {{"f", linear(2e-3)}}}}));
  for (int i = 0; i < 300; ++i) run.send(n = 1 + i % 60);
  run.close();
  run.wait();
  EXPECT_TRUE(std::isfinite(run.predict("f", 40, cores{1}).mean));
  const saved_model kept = run.models().at("f");
  EXPECT_EQ(kept.estimator, "weir");
  EXPECT_NO_THROW(estimator_of(kept));
}

// Invariant: prior_models names one model for a component, and that one counts.
TEST_F(a_report, of_a_component_with_a_prior_model_of_its_own_does_not_choose) {
  options o = from({{"a", {{"f", linear(1e-3)}}}});
  o.prior_models = {{"f", linear(2e-3)}};
  execution run = start(squared(), o);
  EXPECT_NEAR(run.predict("f", 40, cores{1}).mean, 0.08, 0.004);
}

// Invariant: a model that does not fit is passed over, and a note names the run and the misfit.
TEST_F(a_report, notes_each_model_that_is_passed_over) {
  execution run = start(squared(), from({{"a", {{"f", linear(1e-3, "weir", 3)}}},
                                         {"b", {{"f", linear(1e-3, "simple-amdahl")}}},
                                         {"c", {{"f", linear(1e-3)}, {"of another network", linear(1)}}}}));
  const std::string which = "options.prior_runs: the model for 'f' of run ";
  EXPECT_EQ(
      run.report().notes,
      (std::vector<std::string>{which + "'a' has degree 3, expected was a weir model of degree 2: it is passed over",
                                which + "'b' is a simple-amdahl model, expected was a weir model: it is passed over"}));
}

TEST_F(a_report, s_priors_are_refused_where_none_is_of_the_network_or_one_is_damaged) {
  EXPECT_EQ(refused([] {
              start(squared(), from({{"a", {{"g", linear(1e-3)}}}}));
            }),
            "options.prior_runs: none of the 1 runs has a model of a component of this network, expected was one");
  saved_model damaged = linear(1e-3);
  damaged.state.pop_back();
  const std::string words = refused([&] { start(squared(), from({{"a", {{"f", damaged}}}})); });
  EXPECT_EQ(words.rfind("options.prior_runs: the model for 'f' of run 'a': its state of", 0), 0u) << words;
  EXPECT_EQ(refused([] {
              start(squared(), from(std::vector<saved_run>(65, {"a", {{"f", linear(1e-3)}}})));
            }),
            "options.prior_runs: more than 64 runs have a model for 'f', expected were 64 at most");
}

// Invariant: a folder gives the runs in the order of their names; other files are left alone.
TEST_F(a_report, s_priors_are_read_from_a_folder) {
  const scratch_folder folder;
  const fs::path at = folder.path();
  write(at / "b.json", write_models({{"f", linear(2e-3)}}));
  write(at / "a.json", write_models({{"f", linear(1e-3)}}));
  write(at / "README", "no models");
  write(at / ".c.json", "an editor's");
  fs::create_directory(at / "d.json");
  const std::vector<saved_run> runs = read_runs(at);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].name, "a.json");
  EXPECT_EQ(runs[1].name, "b.json");
  EXPECT_EQ(runs[0].models.at("f").state, linear(1e-3).state);
}

TEST_F(a_report, s_priors_in_a_folder_that_is_damaged_are_refused_by_their_path) {
  const scratch_folder folder;
  const fs::path at = folder.path();
  EXPECT_EQ(refused([&] { read_runs(at); }),
            at.string() + ": no file in it ends in .json, expected was a folder of saved models");
  const std::string missing = (at / "missing").string();
  EXPECT_EQ(refused([&] { read_runs(missing); }),
            missing + ": " + std::strerror(ENOENT) + ", expected was a folder of saved models");
  write(at / "a.json", write_models({{"f", linear(1e-3)}}));
  write(at / "b.json", "{}");
  const std::string of_b = refused([&] { read_runs(at); });
  EXPECT_EQ(of_b.rfind((at / "b.json").string() + ": saved models: expected an object", 0), 0u) << of_b;
  fs::remove(at / "b.json");
  fs::create_symlink(at / "nowhere", at / "b.json");
  EXPECT_EQ(refused([&] { read_runs(at); }),
            (at / "b.json").string() + ": " + std::strerror(ENOENT) + ", expected were saved models");
}

}  // namespace
}  // namespace weir::report_test

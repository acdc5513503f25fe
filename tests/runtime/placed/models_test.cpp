#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/runtime/placed/several_ranks.hpp"
#include "tests/support/busy.hpp"
#include "tests/support/gives_all_back.hpp"

// The knowledge of rank 0 on the costs of components that run on other ranks.
namespace weir::models_test {
namespace {

using testing::several_ranks;

inline constexpr tag number{"number"}, key{"key"};

network works(const std::string& name) {
  return box(name, takes(number), gives(number), [](std::int64_t v) {
    testing::busy(std::chrono::microseconds(200));
    return v;
  });
}

// "home" runs on rank 0, "away" on rank 1, "both" on both, three of four records on rank 1.
network three_components() {
  return works("home") >> at(works("away"), 1) >> at(split(box("both", takes(number), gives(number, key),
                                                               [](std::int64_t v) {
                                                                 testing::busy(std::chrono::microseconds(200));
                                                                 return std::tuple(v, std::int64_t{0});
                                                               }),
                                                           key),
                                                     key);
}

options with(std::map<std::string, saved_model> models) {
  options o = testing::two_cores(0);
  o.prior_models = std::move(models);
  return o;
}

std::uint64_t seen_by(const saved_model& m) { return estimator_of(m)->describe().observations; }

class models_of_several_ranks : public testing::gives_all_back {
 protected:
  // Runs 60 records, and returns the models that rank 0 has while the run goes on, then when it is over.
  static std::vector<std::map<std::string, saved_model>> learnt(several_ranks& all) {
    std::vector<std::map<std::string, saved_model>> models;
    execution& run = all.run();
    run.send(record(number = 0, key = 0));
    auto result = run.begin();
    for (int i = 1; i < 60; ++i) {
      run.send(record(number = i, key = i % 4 == 0 ? 0 : 1));
      ++result;
    }
    models.push_back(run.models());
    run.close();
    run.wait();
    models.push_back(run.models());
    return models;
  }
};

TEST_F(models_of_several_ranks, are_all_known_at_rank_0_while_they_run_and_after) {
  several_ranks all(
      2, [](int) { return three_components(); }, testing::two_cores);
  for (const auto& models : learnt(all)) {
    ASSERT_EQ(models.size(), 3u);
    EXPECT_GT(seen_by(models.at("home")), 0u);
    EXPECT_GT(seen_by(models.at("away")), 0u);
    EXPECT_GT(seen_by(models.at("both")), 0u);
  }
}

TEST_F(models_of_several_ranks, are_those_that_have_seen_the_most) {
  several_ranks all(
      2, [](int) { return three_components(); }, testing::two_cores);
  const auto models = learnt(all).back();
  const run_report report = all.run().report();
  all.finish();
  for (const component_report& c : report.components)
    EXPECT_EQ(c.model.observations, seen_by(models.at(c.name))) << c.name;
  const auto of_rank_1 = all.report_of(1)->components;
  const auto there = std::find_if(of_rank_1.begin(), of_rank_1.end(), [](auto& c) { return c.name == "both"; });
  ASSERT_NE(there, of_rank_1.end());
  EXPECT_EQ(there->model.observations, seen_by(models.at("both")));  // 45 of its 60 records
}

TEST_F(models_of_several_ranks, are_what_each_rank_starts_from) {
  std::map<std::string, saved_model> models;
  {
    several_ranks all(
        2, [](int) { return three_components(); }, testing::two_cores);
    models = learnt(all).back();
  }
  several_ranks again(
      2, [](int) { return three_components(); }, [&](int) { return with(models); });
  execution& run = again.run();
  const auto known = run.models();
  for (const auto& [name, model] : models) EXPECT_EQ(seen_by(known.at(name)), seen_by(model)) << name;
  run.close();
  run.wait();
  again.finish();
  EXPECT_EQ(again.error_of(1), "");
}

TEST_F(models_of_several_ranks, must_be_of_components_that_some_rank_has) {
  const auto with_nobody = [](int rank) { return rank == 0 ? with({{"nobody", {}}}) : testing::two_cores(rank); };
  several_ranks all(
      2, [](int) { return three_components(); }, with_nobody);
  EXPECT_THROW(all.run(), std::invalid_argument);
  all.finish();
  EXPECT_EQ(all.error_of(0), "options.prior_models: no component is named 'nobody'");
}

}  // namespace
}  // namespace weir::models_test

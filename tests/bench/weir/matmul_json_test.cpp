#include <set>
#include <string>
#include <thread>

#include <weir/options/saved_models.hpp>
#include "tests/bench/weir/command.hpp"

namespace weir::testing {
namespace {

using nlohmann::json;

// The stable keys of one run and the kind of each value.
void expect_run(const json& run, const std::string& policy, const std::string& kernel, int records) {
  EXPECT_EQ(run.at("policy"), policy);
  EXPECT_EQ(run.at("kernel"), kernel);
  EXPECT_EQ(run.at("records"), records);
  EXPECT_GT(run.at("seconds").get<double>(), 0);
  EXPECT_NEAR(run.at("throughput_per_second").get<double>(), records / run.at("seconds").get<double>(), 1e-6 * records);
  const json& latency = run.at("latency_seconds");
  EXPECT_GT(latency.at("mean").get<double>(), 0);
  EXPECT_GT(latency.at("p50").get<double>(), 0);
  EXPECT_GE(latency.at("p99").get<double>(), latency.at("p50").get<double>());
  EXPECT_TRUE(run.at("moves").is_array());
  EXPECT_TRUE(run.at("foreign_load").is_null() || run.at("foreign_load").is_number());
  for (const json& component : run.at("components")) {
    EXPECT_TRUE(component.at("name").is_string());
    EXPECT_TRUE(component.at("cores").is_number_integer());
    EXPECT_GE(component.at("alpha").get<double>(), 0);
    EXPECT_LE(component.at("alpha").get<double>(), 1);
    EXPECT_TRUE(component.at("coefficients").is_array());
    EXPECT_FALSE(component.at("coefficients").empty());
    EXPECT_EQ(component.at("observations"), records);
    EXPECT_GE(component.at("error_percent").at("median").get<double>(), 0);
    EXPECT_GE(component.at("error_percent").at("p95").get<double>(),
              component.at("error_percent").at("median").get<double>());
  }
  EXPECT_TRUE(run.at("checks").at("products").is_number_integer());
  EXPECT_EQ(run.at("checks").at("wrong"), 0);
}

class every_kernel : public ::testing::TestWithParam<const char*> {};

TEST_P(every_kernel, gives_the_stable_keys_and_right_products) {
  const std::string kernel = GetParam();
  const outcome o = run_weir("matmul --json --sizes 100:200:50 --repeat 3 --kernel " + kernel);
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  const json run = o.json();
  expect_run(run, "adaptive", kernel, 9);
  EXPECT_EQ(run.at("checks").at("products"), 9);
  ASSERT_EQ(run.at("components").size(), 2u);
  EXPECT_EQ(run.at("components")[0].at("name"), "generate");
  EXPECT_EQ(run.at("components")[0].at("coefficients").size(), 3u);  // degree 2
  EXPECT_EQ(run.at("components")[1].at("name"), "multiply");
  EXPECT_EQ(run.at("components")[1].at("coefficients").size(), 4u);  // degree 3
  EXPECT_EQ(run.at("time"), "automatic");
  EXPECT_EQ(run.at("summary").get<std::string>().rfind("adaptive ", 0), 0u) << run.at("summary");
}

INSTANTIATE_TEST_SUITE_P(weir_matmul, every_kernel, ::testing::Values("naive", "blocked16", "blocked32", "blocked64"));

TEST(weir_matmul_json, has_each_run_of_each_policy_and_compares_them) {
  const outcome o = run_weir(
      "matmul --json --sizes-list 120,100 --repeat 3 --rounds 2 --policy equal --policy adaptive --order rising");
  ASSERT_EQ(o.code, 0) << o.err;
  const json all = o.json();
  ASSERT_EQ(all.at("runs").size(), 4u);
  for (int i = 0; i < 4; ++i) {
    const json& run = all.at("runs")[static_cast<std::size_t>(i)];
    expect_run(run, i % 2 ? "adaptive" : "equal", "naive", 6);
    EXPECT_EQ(run.at("round"), i / 2 + 1);
  }
  ASSERT_EQ(all.at("comparison").size(), 2u);
  EXPECT_EQ(all.at("comparison")[0].at("ratio_to_first"), 1.0);
  EXPECT_EQ(all.at("comparison")[1].at("policy"), "adaptive");
  EXPECT_EQ(all.at("comparison")[1].at("checks").at("products"), 12);
  EXPECT_GT(all.at("comparison")[1].at("ratio_to_first").get<double>(), 0);
  const auto summary = all.at("summary").get<std::string>();
  EXPECT_EQ(summary.rfind("adaptive ", 0), 0u) << summary;
  EXPECT_NE(summary.find(" times equal, rounds "), std::string::npos) << summary;
}

TEST(weir_matmul_json, of_one_record_is_whole) {
  const outcome o = run_weir("matmul --json --sizes-list 1 --repeat 1");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.json().at("records"), 1);
  EXPECT_EQ(o.json().at("checks").at("products"), 1);
}

TEST(weir_matmul, learns_by_the_estimator_asked_for) {
  const scratch_folder folder;
  const outcome o = run_weir("matmul --json --sizes-list 100,200 --repeat 3 --estimator extended-amdahl-online " +
                             ("--save-model " + folder.at("model.json")));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.json().at("estimator"), "extended-amdahl-online");
  for (const auto& [name, model] : read_models(contents(folder.at("model.json"))))
    EXPECT_EQ(model.estimator, "extended-amdahl-online") << name;
}

TEST(weir_matmul_json, width_1_is_kept) {
  const outcome o = run_weir("matmul --json --sizes-list 100,200 --repeat 6 --width 1");
  ASSERT_EQ(o.code, 0) << o.err;
  const json run = o.json();
  for (const json& component : run.at("components")) EXPECT_EQ(component.at("width"), 1);
}

// Each size on each count, in one table, from a model that has seen all of them.
TEST(weir_matmul_json, grid_has_each_size_on_each_count) {
  const int most = run_weir("matmul --cores 2 --sizes-list 50 --repeat 1").code == 0 ? 2 : 1;
  const outcome o = run_weir("matmul --json --sizes-list 100,150 --repeat 4 --cores " +
                             std::string(most == 2 ? "1,2" : "1 --rounds 2"));
  ASSERT_EQ(o.code, 0) << o.err;
  const json runs = o.json().at("runs");
  ASSERT_EQ(runs.size(), 2u);
  std::set<std::pair<double, int>> seen;
  for (const json& row : runs[1].at("table"))
    if (row.at("component") == "multiply") seen.emplace(row.at("x").get<double>(), row.at("cores").get<int>());
  std::set<std::pair<double, int>> expected;
  for (int cores = 1; cores <= most; ++cores) expected.insert({{100, cores}, {150, cores}});
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(runs[0].at("policy"), "fixed:multiply=1");
  if (most == 1) {
    EXPECT_FALSE(runs[1].at("components")[1].at("alpha_known").get<bool>());
  }
}

TEST(weir_matmul, saves_models_that_can_be_read_back) {
  const scratch_folder folder;
  const outcome o = run_weir("matmul --sizes-list 100,200 --repeat 3 --save-model " + folder.at("model.json"));
  ASSERT_EQ(o.code, 0) << o.err;
  const auto models = read_models(contents(folder.at("model.json")));
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models.at("generate").degree, 2);
  EXPECT_EQ(models.at("multiply").degree, 3);
  EXPECT_FALSE(models.at("multiply").state.empty());
}

}  // namespace
}  // namespace weir::testing

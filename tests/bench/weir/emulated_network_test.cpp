#include <string>

#include "tests/bench/weir/command.hpp"

namespace weir::testing {
namespace {

using nlohmann::json;

// On 48 virtual cores, equal shares are at least 1.5 times off the best allotment. The adaptive policy is within 10 %
// of the best once each component has been observed 30 times. The test compares allotments by the truth, not times.
TEST(weir_matmul_emulated, adaptive_finds_the_cores_within_30_records) {
  const outcome o = run_weir("matmul --kernel emulated --repeat 15 --json --machine 'package:4 core:12 pu:1'");
  ASSERT_EQ(o.code, 0) << o.err;
  const json run = o.json();
  EXPECT_EQ(run.at("records"), 45);
  ASSERT_EQ(run.at("components").size(), 4u);
  for (const json& component : run.at("components")) EXPECT_EQ(component.at("width"), 1);
  EXPECT_FALSE(run.at("moves").empty());
  const json& e = run.at("emulated");
  for (const json& move : run.at("moves")) {
    EXPECT_TRUE(move.at("time").is_number());
    EXPECT_TRUE(move.at("from").at("components").is_object());
    EXPECT_TRUE(move.at("to").at("components").is_object());
    EXPECT_TRUE(move.at("why").is_string());
    EXPECT_TRUE(move.at("predicted_gain").is_number());
    EXPECT_TRUE(move.at("realised_gain").is_number() || move.at("realised_gain").is_null());
  }
  EXPECT_EQ(e.at("records"), 30);
  EXPECT_GE(e.at("equal_bottleneck_seconds").get<double>(), 1.5 * e.at("best_bottleneck_seconds").get<double>());
  EXPECT_GE(e.at("ratio").get<double>(), 1 - 1e-9);
  EXPECT_LE(e.at("ratio").get<double>(), 1.1) << e.at("allotment") << "\n" << run.at("moves").dump(1);
}

TEST(weir_matmul_emulated, equal_shares_stay_where_they_are) {
  const outcome o = run_weir("matmul --kernel emulated --repeat 3 --json --policy equal");
  ASSERT_EQ(o.code, 0) << o.err;
  const json run = o.json();
  EXPECT_TRUE(run.at("moves").empty());
  EXPECT_DOUBLE_EQ(run.at("emulated").at("reached_bottleneck_seconds").get<double>(),
                   run.at("emulated").at("equal_bottleneck_seconds").get<double>());
  for (const json& component : run.at("components")) EXPECT_EQ(component.at("cores"), 12);
}

TEST(weir_matmul_emulated, best_fixed_by_model_moves_once_at_most_whatever_the_objective) {
  for (const std::string objective : {"throughput", "latency", "latency_at:2"}) {
    SCOPED_TRACE(objective);
    const outcome o = run_weir(
        "matmul --kernel emulated --sizes-list 1,2 --repeat 10 --json --policy best-fixed-by-model --objective " +
        objective);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.json().at("policy"), "best-fixed-by-model");
    EXPECT_EQ(o.json().at("objective"), objective);
    EXPECT_LE(o.json().at("moves").size(), 1u);
  }
}

// Four components on five cores: the best is known by hand, the fifth core goes to `solve`.
TEST(weir_matmul_emulated, knows_the_best_of_few_cores) {
  const outcome o = run_weir(
      "matmul --kernel emulated --machine 'core:5 pu:1' --sizes-list 1 --repeat 2 --json "
      "--policy fixed:decode=1,transform=1,solve=2,encode=1");
  ASSERT_EQ(o.code, 0) << o.err;
  const json e = o.json().at("emulated");
  EXPECT_DOUBLE_EQ(e.at("best_bottleneck_seconds").get<double>(), 10e-3 * (0.99 / 2 + 0.01));
  EXPECT_NEAR(e.at("ratio").get<double>(), 1, 1e-9);
}

}  // namespace
}  // namespace weir::testing

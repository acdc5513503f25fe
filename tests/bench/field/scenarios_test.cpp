#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/bench/weir/command.hpp"

namespace weir::testing {
namespace {

// A shipped scenario with fewer records.
std::string shorter(const scratch_folder& folder, const std::string& name, int records) {
  std::ifstream file(std::string(WEIR_SCENARIOS) + "/field-" + name + ".json");
  auto scenario = nlohmann::ordered_json::parse(file, nullptr, true, true);
  scenario["records"] = records;
  const std::string path = folder.at(name + ".json");
  std::ofstream(path) << scenario;
  return path;
}

// Models of applications run on more cores than they were learnt on: there adaptive is far from equal shares, and near
// the best fixed division. (Measured over the best: 0.94 to 1; over equal shares 1.3 to 6.5: bench/field/README.md.)
TEST(field_scenarios, adaptive_is_near_the_best_fixed_division_and_far_above_equal_shares) {
  const scratch_folder folder;
  for (const std::string name : {"dedup", "ferret", "corpus", "images", "film"}) {
    const std::string path = shorter(folder, name,
                                     name == "ferret"                     ? 10000
                                     : name == "film" || name == "images" ? 200
                                                                          : 2000);
    const auto ways =
        run_weir("simulate " + path + " --cores 16 --policy equal,adaptive,best-fixed --json").json()["policies"];
    const auto rate = [&](int way) { return ways[way]["throughput_per_second"].get<double>(); };
    EXPECT_GT(rate(1), 1.2 * rate(0)) << name;
    EXPECT_GT(rate(1), 0.8 * rate(2)) << name;
  }
}

}  // namespace
}  // namespace weir::testing

#include "scheduler/machine/cpu_quota.hpp"
#include "tests/bench/weir/command.hpp"

namespace weir::testing {
namespace {

TEST(weir_topology, lists_this_machine) {
  const outcome o = run_weir("topology");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("core"), std::string::npos) << o.out;
}

TEST(weir_topology, says_what_cpu_quota_there_is) {
  const outcome o = run_weir("topology --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto quota = cpu_quota();
  EXPECT_EQ(o.json().at("cpu_quota"), quota ? nlohmann::json(*quota) : nlohmann::json());
  EXPECT_EQ(run_weir("topology").out.find("CPU quota: ") != std::string::npos, quota.has_value());
}

TEST(weir_topology, describes_a_synthetic_machine) {
  const outcome o = run_weir("topology --json --machine 'package:4 core:12 pu:1'");
  ASSERT_EQ(o.code, 0) << o.err;
  ASSERT_EQ(o.json().at("cores").size(), 48u);
  EXPECT_EQ(o.json().at("cores")[47].at("package"), 3);
  EXPECT_EQ(o.json().at("synthetic"), true);
  EXPECT_EQ(o.json().at("cpu_quota"), nullptr);  // the quota of this machine does not apply there
}

TEST(weir_topology, says_of_which_kind_each_core_is) {
  const outcome o = run_weir("topology --json --machine 'core:3 pu:1 kinds:1xP,2xE@0.5'");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.json().at("cores")[1].at("kind"), "E");
  ASSERT_EQ(o.json().at("kinds").size(), 2u);
  EXPECT_EQ(o.json().at("kinds")[1].at("speed"), 0.5);
  EXPECT_NE(run_weir("topology --machine 'core:3 pu:1 kinds:1xP,2xE@0.5'").out.find("3 cores (1 P, 2 E)"),
            std::string::npos);
  expect_refused("topology --machine 'core:3 pu:1 kinds:1xP'", "its kinds are not those of its 3 cores");
}

TEST(weir_topology, refuses_a_machine_it_does_not_understand) {
  expect_refused("topology --machine nonsense", "\"nonsense\"");
}

}  // namespace
}  // namespace weir::testing

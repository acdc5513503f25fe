#include <string>

#include "tests/bench/weir/command.hpp"
#include "tests/support/sanitizers.hpp"

// Each allocation of the command's start fails once, and the command says so in one line or does without it.
namespace weir::testing {
namespace {

// The first two allocations belong to libraries that end the process by a signal, before main; libgomp ends it by
// itself. A failure that some library bears leaves no trace, but for words of the help that a string stream of CLI11
// had no memory for. In parts, each of which is a test of its own.
constexpr int parts = 8;
class start_of_the_command : public ::testing::TestWithParam<int> {};

TEST_P(start_of_the_command, says_of_each_allocation_that_fails_that_there_is_not_enough_memory) {
  if (sanitized) GTEST_SKIP() << "sanitizers have allocation functions of their own";
  const scratch_folder folder;
  const std::string preloaded = "LD_PRELOAD=" WEIR_FAILING_MALLOC " WEIR_FAILS=1 WEIR_FAILS_FROM=";
  const outcome usual = run_weir("--help", preloaded + "1000000 WEIR_ALLOCATIONS_TO=" + folder.at("count") + " ");
  ASSERT_EQ(usual.code, 0);
  const int allocations = std::stoi(contents(folder.at("count")));
  EXPECT_GT(allocations, 1000);
  int said = 0;
  for (int k = 3 + GetParam(); k <= allocations; k += parts) {
    const outcome o = run_weir("--help", preloaded + std::to_string(k) + " ");
    if (o.code == 1 && o.err.find("libgomp") != std::string::npos) continue;
    if (o.code == 1 && o.err == "weir: there is not enough memory\n") {
      ++said;
      continue;
    }
    ASSERT_EQ(o.code, usual.code) << k << "\n" << o.err;
    ASSERT_LE(o.out.size(), usual.out.size()) << k << "\n" << o.out;
    ASSERT_EQ(o.err, usual.err) << k;
  }
  EXPECT_GT(said, allocations / (10 * parts));
}
INSTANTIATE_TEST_SUITE_P(each_allocation, start_of_the_command, ::testing::Range(0, parts));

}  // namespace
}  // namespace weir::testing

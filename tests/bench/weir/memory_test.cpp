#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/bench/weir/command.hpp"
#include "tests/support/sanitizers.hpp"

// If memory runs out before a network runs, the command says so in one line and ends with 1; no signal ends it.
namespace weir::testing {
namespace {

// Calls of every subcommand that runs no network and does not need hwloc. In these a failed allocation must be handled.
std::vector<std::string> calls(const std::string& csv, const std::string& model) {
  return {"--help",
          "flow " WEIR_NETWORKS "/example.json --cores 2 --json",
          "fit " + csv + " --json",
          "predict " + model + " --x 1,2 --cores 1",
          "flow " + model + " --cores 2",
          "predict " + csv + " --x 1 --cores 1"};
}

class memory_that_runs_out : public ::testing::Test {
 protected:
  memory_that_runs_out() {
    std::ofstream csv(folder_.at("o.csv"));
    csv << "component,x,cores,seconds\n";
    for (int i = 1; i < 20; ++i) csv << "a," << i << ",1," << i << "e-3\n";
    csv.close();
    EXPECT_EQ(run_weir("fit " + folder_.at("o.csv") + " --save " + folder_.at("m.json")).code, 0);
  }
  scratch_folder folder_;
};

// libgomp ends the process by itself, before main.
bool is_by_libgomp(const outcome& o) { return o.code == 1 && o.err.find("libgomp") != std::string::npos; }

// The end is clear: one line, or the output that the call gives with enough memory.
void expect_clear_end(const outcome& o, const outcome& usual, const std::string& how) {
  if ((o.code == usual.code && o.code != 1) || is_by_libgomp(o)) return;
  EXPECT_EQ(o.code, 1) << how << "\n" << o.err;
  EXPECT_EQ(o.err, "weir: there is not enough memory\n") << how;
}

// Allocation number k fails, alone or with all after it. The first two allocations belong to libraries that end the
// process by a signal, before main.
TEST_F(memory_that_runs_out, at_any_allocation_ends_in_one_line) {
  if (sanitized) GTEST_SKIP() << "sanitizers have allocation functions of their own";
  for (const std::string& arguments : calls(folder_.at("o.csv"), folder_.at("m.json"))) {
    const outcome usual = run_weir(arguments);
    for (const char* count : {"1", "1000000"})
      for (double k = 3; k < 20'000; k = std::ceil(1.5 * k)) {
        const std::string how = "LD_PRELOAD=" WEIR_FAILING_MALLOC " WEIR_FAILS=" + std::string(count) +
                                " WEIR_FAILS_FROM=" + std::to_string(static_cast<int>(k)) + " ";
        expect_clear_end(run_weir(arguments, how), usual, how + arguments);
        if (HasFailure()) return;
      }
  }
}

// The same for the system's limit. It includes hwloc, which does not check whether it gets memory. If there is too
// little for the libraries, the loader reports that, with code 127. With less than the program's own size the
// system ends it before anything of it runs.
TEST_F(memory_that_runs_out, at_any_limit_ends_without_a_signal) {
  if (sanitized) GTEST_SKIP() << "sanitizers reserve more memory than there is";
  const int least = std::max(8, static_cast<int>(std::filesystem::file_size(WEIR_COMMAND) >> 20) + 2);
  for (const std::string arguments : {"topology", "topology --machine 'package:16 core:64 pu:4'"}) {
    int enough = 0;
    for (int mb = least; mb < 1024 && enough < 3; ++mb) {
      const outcome o = run_weir(arguments, "ulimit -v " + std::to_string(1024 * mb) + "; exec ");
      EXPECT_TRUE(o.code == 0 || o.code == 1 || o.code == 127) << arguments << ", " << mb << " MB: " << o.code << o.err;
      if (HasFailure()) return;
      if (o.code == 1 && !is_by_libgomp(o)) {
        EXPECT_EQ(o.err, "weir: there is not enough memory\n") << arguments << ", " << mb << " MB";
      }
      enough += o.code == 0;
    }
    EXPECT_EQ(enough, 3);
  }
}

}  // namespace
}  // namespace weir::testing

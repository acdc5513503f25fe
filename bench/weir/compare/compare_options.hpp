#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/output_file.hpp"
#include "bench/weir/common/named_policy.hpp"
#include "bench/weir/compare/compare_workloads.hpp"
#include "runtime/machine/machine.hpp"

namespace weir::command {

// `weir compare` as it was typed. What is empty was not given.
struct compare_options {
  std::string workload = "matmul";
  std::optional<std::string> policies;
  std::vector<std::string> fixed;
  std::string objective = "throughput";
  std::optional<int> repeat, records;
  double scale = 1;
  std::string machine;
  std::string estimator = "weir";
  std::uint64_t seed = 1;
  std::optional<std::string> report, out;
  bool json = false;
};

inline const std::string best_fixed_name = "best-fixed", free_for_all_name = "free-for-all";

// One way to run the workload: a policy, or the free-for-all, which has none.
struct compared_policy {
  std::string name;  // its row: "equal", "adaptive", "best-fixed", ..
  std::string text;  // as parse_policy takes it; of one row there may be several, the best is shown
  std::optional<policy> rule{};
};

// What will be done: every option checked and every default in its place. Plain data.
struct compare_plan {
  workload_entry entry;
  compared_workload work;
  std::vector<compared_policy> runs{};  // of each round, in order
  std::vector<std::string> rows{};      // names of the policies, in order
  std::string baseline{};               // the row that ratios are to
  std::string objective{};              // as typed; goal is what it means
  weir::objective goal = weir::objective::throughput;
  int rounds = 1;
  double scale = 1;
  weir::machine machine = weir::machine::local();
  std::string estimator{};
  std::uint64_t seed = 1;
  std::optional<output_file> report{}, out{};
  bool json = false;
  bool interrupted = false;  // it was to end early, and what is reported is not all that was asked for
};

// Throws bad_input for the first thing that cannot be. Touches no file before everything else is right.
compare_plan plan_of(const compare_options& typed);

}  // namespace weir::command

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/support/output_file.hpp"
#include "bench/weir/common/named_policy.hpp"
#include "bench/weir/common/report_file.hpp"
#include "bench/weir/common/trace_file.hpp"
#include "bench/weir/compare/compare_workloads.hpp"
#include "runtime/machine/machine.hpp"

namespace weir::command {

// The command line of `weir compare`. Empty: not given.
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
  std::optional<std::string> report, trace, out;
  bool json = false;
};

inline const std::string best_fixed_name = "best-fixed", free_for_all_name = "free-for-all";

// One way to run the workload: a policy, or the free-for-all, which has no policy.
struct compared_policy {
  std::string name;  // its row: "equal", "adaptive", "best-fixed", ..
  std::string text;  // for parse_policy; a row may have several, the best is shown
  std::optional<policy> rule{};
};

// The work to do, with every option checked and every default filled in. Plain data.
struct compare_plan {
  workload_entry entry;
  compared_workload work;
  std::vector<compared_policy> runs{};  // of each round, in order
  std::vector<std::string> rows{};      // names of the policies, in order
  std::string baseline{};               // the row that ratios refer to
  std::string objective{};              // as typed; `goal` is the parsed form
  weir::objective goal = weir::objective::throughput;
  int rounds = 1;
  double scale = 1;
  weir::machine machine = weir::machine::local();
  std::string estimator{};
  std::uint64_t seed = 1;
  std::optional<output_file> out{};
  std::optional<report_file> report{};
  std::optional<trace_file> trace{};
  bool json = false;
  bool interrupted = false;  // it was cut short, and the report covers only a part
};

// Throws bad_input for the first invalid option. Touches no file before everything else is checked.
compare_plan plan_of(const compare_options& typed);

}  // namespace weir::command

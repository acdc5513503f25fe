#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/weir/compare/compare_workloads.hpp"
#include "bench/weir/runs/runs_plan.hpp"

namespace weir::program {

// The command line of `weir compare`. Empty: not given.
struct compare_options : runs_options {
  std::string workload = "matmul";
  std::optional<std::string> scenario;  // in place of a workload
  std::optional<std::string> policies;
  std::vector<std::string> fixed;
  int repeat = 5;  // with fewer, a bootstrap says nothing
  std::optional<std::size_t> records;
  double scale = 1;
};

// The work to do, with every option checked and every default filled in. A run without a policy is the free-for-all.
// Plain data.
struct compare_plan : runs_plan {
  workload_entry entry;
  compared_workload work;
  double scale = 1;
};

// Throws bad_input for the first invalid option. Touches no file before everything else is checked.
compare_plan plan_of(const compare_options& typed);

}  // namespace weir::program

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <weir/scheduler/policies/policy.hpp>
#include "bench/weir/runs/runs_plan.hpp"
#include "bench/weir/runs/workload.hpp"

namespace weir::program {

inline const std::string best_fixed_name = "best-fixed", free_for_all_name = "free-for-all";

// A workload to run under several policies, and without weir.
struct compared_workload : workload {
  std::string work{};  // describes the records: "N = 340, 380, 420, 460 and half of it"

  // The same work written without weir: all of it in one shared arena of `cores` cores, as time_without_weir runs it.
  // Empty for emulated components: they sleep according to their grant, and there is none here.
  std::function<void(int cores, const std::function<bool(std::size_t index)>& sent,
                     const std::function<void(record)>& result)>
      free_for_all{};

  // The fixed divisions of a number of cores that are worth running, as for parse_policy, and a description of how they
  // were chosen. None if there would be too many.
  std::function<std::vector<std::string>(int cores)> fixed_divisions{};
  std::string fixed_how{};
  // In place of these, of a scenario: the best one.
  std::function<planned_policy()> best_fixed{};
  // Throws std::invalid_argument where a rule of fixed shares does not apply to the components. Empty: max_width says.
  std::function<void(const policy& rule)> try_on{};
  int max_width = std::numeric_limits<int>::max();  // lanes of a fixed share, at most
};

// The amount of work.
struct workload_size {
  std::optional<std::size_t> records;  // in place of the workload's own number
  double scale = 1;                    // a factor for emulated seconds, or for the sizes of matrices
  std::uint64_t seed = 1;              // of the matrices
};

}  // namespace weir::program

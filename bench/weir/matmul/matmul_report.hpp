#pragma once

#include <string>
#include <vector>

#include "bench/weir/matmul/matmul_options.hpp"
#include "bench/weir/matmul/measured_run.hpp"
#include "bench/weir/matmul/workload.hpp"

namespace weir::command {

// The result for people: what ran and where; with several policies a row each; then one run closer: what was learnt,
// which moves were made, what was checked, what the machine did not allow.
std::string matmul_text(const matmul_plan& plan, const workload& work, const std::vector<measured_run>& runs);

// The result for programs, as README.md describes it: an object for one run; for several an object with the runs
// under "runs" and the policies compared under "comparison".
std::string matmul_json(const matmul_plan& plan, const std::vector<measured_run>& runs);

}  // namespace weir::command

#pragma once

#include <string>
#include <vector>

#include "bench/weir/matmul/matmul_options.hpp"
#include "bench/weir/runs/policy_rows.hpp"

namespace weir::program {

// The work ahead, for people: the network, the machine, the records, the policies, and for how long.
std::string matmul_heading(const matmul_plan& plan, const workload& work);

// The result for people: with several policies one row each. Then one run in detail: its models, its moves, its checks,
// and what the machine did not allow. At last, what the words mean, and what came out, in a sentence.
std::string matmul_text(const matmul_plan& plan, const workload& work, const std::vector<policy_row>& rows,
                        const std::vector<timed_run>& runs);

// The result for programs (README.md): one object for one run; for several an object with "runs" and the compared
// policies under "comparison".
std::string matmul_json(const matmul_plan& plan, const std::vector<policy_row>& rows,
                        const std::vector<timed_run>& runs);

}  // namespace weir::program

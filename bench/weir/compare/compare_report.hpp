#pragma once

#include <string>
#include <vector>

#include "bench/weir/compare/compare_summary.hpp"

namespace weir::program {

// The comparison for people: the machine and the workload, one line per policy, and remarks. Lines of the table begin
// with the workload, so that tables of several workloads can be joined.
std::string compare_text(const compare_plan& plan, const std::vector<policy_row>& rows,
                         const std::vector<timed_run>& runs);

// The comparison for programs, as README.md describes it.
std::string compare_json(const compare_plan& plan, const std::vector<policy_row>& rows,
                         const std::vector<timed_run>& runs);

}  // namespace weir::program

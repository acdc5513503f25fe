#pragma once

#include <vector>

#include "bench/weir/compare/compare_options.hpp"
#include "bench/weir/runs/policy_rows.hpp"

namespace weir::program {

// policy_rows() with the ratios to the best fixed division and the errors of predictions.
std::vector<policy_row> compared_rows(const compare_plan& plan, const std::vector<timed_run>& runs);

// Errors |predicted - observed| / observed of each observation in percent. The model had learnt all observations before
// it. Those right after a move and the first of a component are left out.
std::vector<double> foresight_errors(const compare_plan& plan, const timed_run& run);

}  // namespace weir::program

#pragma once

#include <vector>

#include <weir/report/report_page.hpp>
#include "bench/weir/simulate/simulate_results.hpp"

namespace weir::program {

// A simulated run as a report of a run: what a simulation does not know is NaN or empty.
run_report report_of(const simulated_row& row, const simulation::scenario& of);

// Writes the runs of the first seed, and a table of all policies.
void write_page(const simulate_plan& plan, const std::vector<simulated_row>& rows);

}  // namespace weir::program

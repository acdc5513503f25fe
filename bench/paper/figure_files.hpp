#pragma once

#include <filesystem>

#include "bench/paper/kernel_result.hpp"

namespace weir::paper {

// Writes one kernel's data for figures.gp into the folder, as CSV with a header line. One file per family of figures:
//
//   tseq-KERNEL.csv            x, seconds measured on one core (mean), seconds of the polynomial
//   alpha-KERNEL.csv           x, then alpha of each number of cores above one
//   aggregations-KERNEL.csv    x, seconds measured on the most cores (mean), seconds by mean, clamped mean, highest
//   percent-KERNEL.csv         x, then the misprediction on each number of cores, percent of the measured
//   seconds-KERNEL.csv         the same in seconds
//   time-percent-KERNEL.csv    observations, then the misprediction of each way, percent: medians of a fortieth of them
//   time-seconds-KERNEL.csv    the same in seconds
//
// A missing number is an empty field. Throws program::bad_input or std::runtime_error if a file cannot be written.
void write_figures(const std::filesystem::path& folder, const kernel_result& of);

}  // namespace weir::paper

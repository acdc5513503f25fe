#pragma once

#include "bench/weir/compare/compare_workload.hpp"

namespace weir::program {

// draw >> square >> digest >> tally: boxes of about 12, 77, 31 and 0.1 us on one core. `square` is parallel inside,
// `draw` and `digest` are not but may run in several lanes, and `tally` keeps a state in the order of the stream. Real
// work on real cores; every result is compared with the sequential one.
compared_workload mixed_pipeline(const workload_size& size);

}  // namespace weir::program

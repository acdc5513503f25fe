#pragma once

#include "bench/weir/compare/compare_workload.hpp"

namespace weir::command {

// generate >> first >> second: two matrices are drawn, and each is multiplied by itself, by a component of its own.
// Real work on real cores; every product is checked.

compared_workload matmul_pair(const workload_size& size);   // first: N, second: half of it
compared_workload swapped_pair(const workload_size& size);  // halfway second: N, first: half of it
compared_workload openmp_pair(const workload_size& size);   // as matmul_pair, second by OpenMP on its grant

}  // namespace weir::command

#pragma once

#include "bench/weir/compare/compare_workload.hpp"

namespace weir::program {

// generate >> first >> second: two matrices are drawn, and two components each multiply one by itself. Real work on
// real cores; every product is checked.

compared_workload matmul_pair(const workload_size& size);   // first: N, second: half of N
compared_workload swapped_pair(const workload_size& size);  // in the second half of the stream, first: half of N,
                                                            // second: N
compared_workload openmp_pair(const workload_size& size);   // as matmul_pair, second by OpenMP on its grant

}  // namespace weir::program

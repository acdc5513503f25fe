#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/weir/runs/workload.hpp"

namespace weir::program {

// generate >> multiply (Verstraaten & Scholz, section 3.2): an N x N matrix drawn from the seed and the record's index,
// multiplied by itself. Predictor N; degree 2 for generate, 3 for multiply.

std::vector<std::string> matmul_names();

// Throws bad_input naming a kernel that does not exist.
void require_kernel(const std::string& kernel);

// Each box runs at most `max_width` invocations concurrently. Freivalds' check compares every product with a matrix
// drawn anew. With several ranks, record i is multiplied at rank i modulo their number. The first product of the
// smallest of `inputs` is compared with the naive sequential one, bit for bit. REQUIRES: require_kernel passes; inputs
// not empty.
workload matmul_workload(const std::string& kernel, const std::vector<std::int64_t>& inputs, std::uint64_t seed,
                         int max_width, int ranks = 1);

}  // namespace weir::program

#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "components/images/binomial_weights.hpp"

namespace components {

constexpr int rows_of_blur_group = 8, side_of_product_group = 16;

// The kernels of components/opencl in CUDA C++. Each function starts one on a stream and returns its error, if it does
// not start. REQUIRES: a width of at most a third of the largest int, fewer than 2^16 groups of rows, and `count` from
// 1 to 2^16 - 1.
cudaError_t start_blur_pass(cudaStream_t on, const std::uint8_t* from, std::uint8_t* to, int width, int height,
                            int radius, bool is_along, const binomial_weights& weights, unsigned count);
cudaError_t start_multiply(cudaStream_t on, const double* a, const double* b, double* c, std::size_t rows,
                           std::size_t depth, std::size_t cols, unsigned count);

}  // namespace components

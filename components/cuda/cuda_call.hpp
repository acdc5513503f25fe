#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "components/device/device_error.hpp"

namespace components {

// Throws device_error for an error of CUDA: "CUDA: DOING: the error".
inline void cuda_call(const std::string& doing, cudaError_t result) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // the next call does not find it again
  throw device_error("CUDA: " + doing + ": " + cudaGetErrorString(result));
}

}  // namespace components

#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "components/cuda/cuda_call.hpp"

namespace components {

// A stream of the first CUDA device. Thread-safe.
class cuda_stream {
 public:
  cuda_stream() { cuda_call("making a stream", cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  cuda_stream(const cuda_stream&) = delete;
  ~cuda_stream() { cudaStreamDestroy(stream_); }

  cudaStream_t get() const { return stream_; }
  // Throws device_error for this error, if it is one, when all that was asked for before is done: so no kernel uses
  // memory of the caller any more.
  void check(const std::string& doing, cudaError_t started) const {
    if (started != cudaSuccess) cudaStreamSynchronize(stream_);
    cuda_call(doing, started);
  }
  // Returns when all that was asked for before is done. Throws device_error for the first error.
  void wait(const std::string& doing) const { cuda_call(doing, cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace components

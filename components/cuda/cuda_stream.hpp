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
  // Returns when all that was asked for before is done. Throws device_error for the first error.
  void wait(const std::string& doing) const { cuda_call(doing, cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace components

#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

#include "components/opencl/opencl.hpp"

namespace components {

// Buffers of one device that are kept when they are no longer used: to ask a driver for memory may take longer than a
// kernel. Thread-safe.
class opencl_buffers {
 public:
  explicit opencl_buffers(cl::Context context) : context_(std::move(context)) {}

  // A buffer of `bytes` or somewhat more, with undefined content. Before it throws cl::Error for want of memory, it
  // frees all kept ones. REQUIRES: bytes >= 1.
  cl::Buffer take(std::size_t bytes);
  void give_back(cl::Buffer buffer) noexcept;

 private:
  static constexpr std::size_t most_kept = 64;  // the oldest are freed: sizes change

  const cl::Context context_;
  std::mutex lock_;
  std::deque<cl::Buffer> kept_;  // oldest first
};

}  // namespace components

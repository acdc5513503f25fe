#include "components/opencl/opencl_memory.hpp"

#include <algorithm>

#include "components/opencl/opencl_call.hpp"

namespace components {

// OpenCL has no buffer of 0 bytes.
opencl_memory::opencl_memory(const opencl_device& on, const cl::CommandQueue& queue, std::size_t bytes)
    : device_memory(bytes, on.transfers()),
      device_(on.name()),
      queue_(queue),
      buffers_(on.buffers()),
      buffer_(opencl_call(device_, "memory of " + std::to_string(bytes) + " bytes",
                          [&] { return buffers_->take(std::max<std::size_t>(bytes, 1)); })) {}

// Each function waits for its kernels, so no queue uses the memory any more.
opencl_memory::~opencl_memory() { buffers_->give_back(buffer_); }

void opencl_memory::copy_to_device(const void* from) {
  opencl_work(queue_, device_, "a copy of " + std::to_string(bytes()) + " bytes to it",
              [&] { queue_.enqueueWriteBuffer(buffer_, CL_TRUE, 0, bytes(), from); });
}

void opencl_memory::copy_from_device(void* to) const {
  opencl_work(queue_, device_, "a copy of " + std::to_string(bytes()) + " bytes from it",
              [&] { queue_.enqueueReadBuffer(buffer_, CL_TRUE, 0, bytes(), to); });
}

}  // namespace components

#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "components/device/device_memory.hpp"
#include "components/opencl/opencl.hpp"
#include "components/opencl/opencl_buffers.hpp"
#include "components/opencl/opencl_device.hpp"

namespace components {

// A buffer of an OpenCL device, which is copied by the queue that made it.
class opencl_memory final : public device_memory {
 public:
  opencl_memory(const opencl_device& on, const cl::CommandQueue& queue, std::size_t bytes);
  ~opencl_memory() override;

  const cl::Buffer& buffer() const { return buffer_; }

 private:
  void copy_to_device(const void* from) override;
  void copy_from_device(void* to) const override;

  const std::string device_;
  const cl::CommandQueue queue_;
  const std::shared_ptr<opencl_buffers> buffers_;
  const cl::Buffer buffer_;
};

}  // namespace components

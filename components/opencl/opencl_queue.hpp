#pragma once

#include <cstddef>
#include <memory>

#include "components/device/device_queue.hpp"
#include "components/opencl/opencl.hpp"
#include "components/opencl/opencl_device.hpp"
#include "components/opencl/opencl_memory.hpp"

namespace components {

// A queue of an OpenCL device: what a slot keeps for a run, by each_slot().
class opencl_queue final : public device_queue {
 public:
  explicit opencl_queue(const opencl_device& on);  // throws device_error

  std::unique_ptr<device_memory> allocate(std::size_t bytes) override;
  void blur(const device_memory& from, device_memory& to, int width, int height, int radius,
            std::size_t count) override;
  void multiply(const device_memory& a, const device_memory& b, device_memory& c, std::size_t rows, std::size_t depth,
                std::size_t cols, std::size_t count) override;
  const device_transfers& transfers() const override { return *device_.transfers(); }

 private:
  static const cl::Buffer& buffer_of(const device_memory& m);

  const opencl_device device_;
  cl::CommandQueue queue_;
  cl::Kernel blur_pass_, multiply_;
  int radius_ = -1;                         // of the last blur
  cl::Buffer weights_;                      // for that radius
  std::unique_ptr<opencl_memory> between_;  // the passes of the blur; as large as the largest batch so far
};

}  // namespace components

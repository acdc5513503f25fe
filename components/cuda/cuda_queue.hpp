#pragma once

#include <cstddef>
#include <memory>

#include "components/cuda/cuda_device.hpp"
#include "components/cuda/cuda_memory.hpp"
#include "components/cuda/cuda_stream.hpp"
#include "components/device/device_queue.hpp"

namespace components {

// A queue of the CUDA device: what a slot keeps for a run, by each_slot().
class cuda_queue final : public device_queue {
 public:
  explicit cuda_queue(const cuda_device& on) : device_(on) {}  // throws device_error

  std::unique_ptr<device_memory> allocate(std::size_t bytes) override;
  void blur(const device_memory& from, device_memory& to, int width, int height, int radius,
            std::size_t count) override;
  void multiply(const device_memory& a, const device_memory& b, device_memory& c, std::size_t rows, std::size_t depth,
                std::size_t cols, std::size_t count) override;
  const device_transfers& transfers() const override { return *device_.transfers(); }

 private:
  const cuda_device device_;
  const std::shared_ptr<const cuda_stream> stream_ = std::make_shared<const cuda_stream>();
  std::unique_ptr<cuda_memory> between_;  // the passes of the blur; as large as the largest batch so far
};

}  // namespace components

#pragma once

#include <cstddef>
#include <memory>

#include "components/cuda/cuda_device.hpp"
#include "components/cuda/cuda_stream.hpp"
#include "components/device/device_memory.hpp"

namespace components {

// Memory of the CUDA device, which is copied by the stream that made it.
class cuda_memory final : public device_memory {
 public:
  cuda_memory(const cuda_device& on, std::shared_ptr<const cuda_stream> stream, std::size_t bytes);
  ~cuda_memory() override;

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void copy_to_device(const void* from) override;
  void copy_from_device(void* to) const override;

  const std::shared_ptr<const cuda_stream> stream_;
  void* data_ = nullptr;  // of no bytes: null
};

}  // namespace components

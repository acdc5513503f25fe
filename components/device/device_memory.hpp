#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "components/device/device_transfers.hpp"

namespace components {

// Memory of a device, freed by the destructor. Copies go through the queue that made it, and have ended when they
// return. Any thread may call; while one writes, no other may read or write. Copies throw device_error.
class device_memory {
 public:
  device_memory(std::size_t bytes, std::shared_ptr<device_transfers> counts)
      : bytes_(bytes), counts_(std::move(counts)) {}
  device_memory(const device_memory&) = delete;
  virtual ~device_memory() = default;

  std::size_t bytes() const { return bytes_; }
  const device_transfers& transfers() const { return *counts_; }  // of all memory of the device

  // Both copy all bytes(). Without any they do nothing.
  void write(const void* from) {
    if (bytes_ == 0) return;
    copy_to_device(from);
    counts_->add_to_device(bytes_);
  }
  void read(void* to) const {
    if (bytes_ == 0) return;
    copy_from_device(to);
    counts_->add_from_device(bytes_);
  }

 private:
  virtual void copy_to_device(const void* from) = 0;
  virtual void copy_from_device(void* to) const = 0;

  const std::size_t bytes_;
  const std::shared_ptr<device_transfers> counts_;
};

}  // namespace components

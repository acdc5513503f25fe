#pragma once

#include <memory>
#include <string>

#include "components/device/device_transfers.hpp"

namespace components {

// The first CUDA device, which CUDA_VISIBLE_DEVICES chooses: what its queues share. Immutable, thread-safe. Queues and
// memory keep what they need of it.
class cuda_device {
 public:
  cuda_device();  // throws device_error if there is none

  const std::string& name() const { return name_; }  // "CUDA: NVIDIA H100"
  const std::shared_ptr<device_transfers>& transfers() const { return transfers_; }

 private:
  std::string name_;
  std::shared_ptr<device_transfers> transfers_;
};

}  // namespace components

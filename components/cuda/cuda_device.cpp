#include "components/cuda/cuda_device.hpp"

#include <cstdint>
#include <limits>

#include "components/cuda/cuda_call.hpp"

namespace components {

cuda_device::cuda_device() {
  int count = 0;
  cuda_call("looking for devices", cudaGetDeviceCount(&count));
  if (count == 0) throw device_error("CUDA: there is no device");
  cudaDeviceProp properties;
  cuda_call("opening the first device", cudaGetDeviceProperties(&properties, 0));
  name_ = std::string("CUDA: ") + properties.name;
  transfers_ = std::make_shared<device_transfers>(name_);
  // Freed memory stays with the process: to ask the system for it again takes longer than a kernel.
  cudaMemPool_t pool;
  std::uint64_t kept = std::numeric_limits<std::uint64_t>::max();
  cuda_call("its memory", cudaDeviceGetDefaultMemPool(&pool, 0));
  cuda_call("its memory", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
}

}  // namespace components

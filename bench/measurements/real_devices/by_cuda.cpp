#include "bench/measurements/real_devices/opened_device.hpp"
#include "components/cuda/cuda_device.hpp"
#include "components/cuda/cuda_queue.hpp"

opened_device open_device(const std::string&, const std::vector<int>&) {
  const components::cuda_device device;
  return {"CUDA", device.name(), [device] { return std::make_unique<components::cuda_queue>(device); }};
}

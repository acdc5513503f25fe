#include "bench/measurements/real_devices/opened_device.hpp"
#include "components/opencl/opencl_device.hpp"
#include "components/opencl/opencl_queue.hpp"

opened_device open_device(const std::string& name, const std::vector<int>& cpus) {
  const components::opencl_device device(name, cpus);
  return {"OpenCL", device.name(), [device] { return std::make_unique<components::opencl_queue>(device); }};
}

#include "components/opencl/opencl_device.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <utility>

#include "components/opencl/opencl_call.hpp"

namespace components {
namespace {

struct found_device {
  std::string name;
  cl::Device device;
};

std::vector<found_device> all_devices() {
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {  // the loader's way to say that it found none
  }
  if (platforms.empty())
    throw device_error("there is no OpenCL platform: expected the driver of a device, such as pocl-opencl-icd");
  std::vector<found_device> found;
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    try {
      platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    } catch (const cl::Error&) {  // it has none
    }
    for (const cl::Device& device : devices)
      found.push_back({platform.getInfo<CL_PLATFORM_NAME>() + ": " + device.getInfo<CL_DEVICE_NAME>(), device});
  }
  return found;
}

found_device device_of(const std::string& name) {
  const std::vector<found_device> all = all_devices();
  const auto is_wanted = [&](const found_device& d) {
    return name.empty() ? d.device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_GPU : d.name.find(name) != name.npos;
  };
  auto at = std::find_if(all.begin(), all.end(), is_wanted);
  if (at == all.end() && name.empty()) at = all.begin();
  if (at != all.end()) return *at;
  if (all.empty()) throw device_error("there is no OpenCL device: no platform has one");
  std::string names;
  for (const found_device& d : all) names += (names.empty() ? "" : ", ") + d.name;
  throw device_error("there is no OpenCL device with " + name + " in its name; there is " + names);
}

void bind_this_thread(const std::vector<int>& cpus) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  std::string named;
  for (const int cpu : cpus) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &wanted);
    named += (named.empty() ? "" : ", ") + std::to_string(cpu);
  }
  if (CPU_COUNT(&wanted) != static_cast<int>(cpus.size()) || sched_setaffinity(0, sizeof wanted, &wanted) != 0)
    throw device_error("OpenCL's threads cannot be bound to processing units " + named +
                       ": expected different ones that this process may use");
}

}  // namespace

opencl_device::opencl_device(const std::string& name, const std::vector<int>& cpus, const std::string& source) {
  std::async(cpus.empty() ? std::launch::deferred : std::launch::async, [&] {
    if (!cpus.empty()) bind_this_thread(cpus);
    open(name, source);
  }).get();
}

void opencl_device::open(const std::string& name, const std::string& source) {
  opencl_call("OpenCL", "looking for devices", [&] {
    found_device found = device_of(name);
    name_ = std::move(found.name);
    device_ = found.device;
  });
  opencl_call(name_, "opening it", [&] {
    if (device_.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() == 0)
      throw device_error(name_ + " has no numbers of type double");
    context_ = cl::Context(device_);
    buffers_ = std::make_shared<opencl_buffers>(context_);
    program_ = cl::Program(context_, source);
  });
  try {
    program_.build(std::vector<cl::Device>{device_}, "-cl-std=CL1.2");
  } catch (const cl::Error&) {
    throw device_error(name_ + ": the kernels do not compile: " + program_.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device_));
  }
}

}  // namespace components

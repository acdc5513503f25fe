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

// Why the kernels cannot run there. Empty: they can.
std::string obstacle_of(const cl::Device& device) try {
  constexpr std::size_t group = 256;  // work items of both kernels
  const auto most = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  if (!device.getInfo<CL_DEVICE_AVAILABLE>()) return "is not available";
  if (!device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>()) return "has no compiler";
  if (most < group) return "has work groups of " + std::to_string(most) + " items: expected " + std::to_string(group);
  if (device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() == 0) return "has no numbers of type double";
  return "";
} catch (const cl::Error& error) {
  return "does not say what it can do: " + text_of(error);
}

found_device device_of(const std::string& name) {
  std::vector<found_device> usable;
  std::string names, obstacles;
  const auto add = [](std::string& list, const std::string& text) { list += (list.empty() ? "" : ", ") + text; };
  for (const found_device& d : all_devices()) {
    add(names, d.name);
    if (d.name.find(name) == name.npos) continue;
    const std::string obstacle = obstacle_of(d.device);
    if (obstacle.empty())
      usable.push_back(d);
    else
      add(obstacles, d.name + " " + obstacle);
  }
  const auto is_gpu = [](const found_device& d) { return d.device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_GPU; };
  std::stable_partition(usable.begin(), usable.end(), is_gpu);
  if (!usable.empty()) return usable.front();
  if (names.empty()) throw device_error("there is no OpenCL device: no platform has one");
  if (obstacles.empty()) throw device_error("no OpenCL device has " + name + " in its name; there is " + names);
  throw device_error("no OpenCL device can run the kernels: " + obstacles);
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
    transfers_ = std::make_shared<device_transfers>(name_);
    device_ = found.device;
  });
  opencl_call(name_, "opening it", [&] {
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

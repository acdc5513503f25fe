#pragma once

#include <memory>
#include <string>
#include <vector>

#include "components/device/device_transfers.hpp"
#include "components/opencl/opencl.hpp"
#include "components/opencl/opencl_buffers.hpp"
#include "components/opencl/opencl_kernels.hpp"

namespace components {

// One OpenCL device with a context and the compiled kernels: what its queues share. Immutable, thread-safe. Queues and
// memory keep what they need of it, so it may be destroyed before them.
class opencl_device {
 public:
  // A device whose "platform: device" contains `name`, and which can run the kernels: they need double, work groups of
  // 256 items and a compiler. It is the first such GPU, or else the first such device.
  //
  // `cpus`: processing units, by the operating system's numbers. A platform on the CPU, such as PoCL, starts threads of
  // its own. They inherit the binding of the thread that asks for a platform first in the process, so the constructor
  // does that on a thread bound to `cpus`. Empty, and in a process that has used OpenCL before: they are not bound.
  //
  // Throws device_error if there is no platform or no such device. The message names the devices that there are, and
  // why each of that name was passed over. It throws as well if `cpus` cannot be used, and if the kernels do not
  // compile, with the compiler's output.
  explicit opencl_device(const std::string& name = "", const std::vector<int>& cpus = {},
                         const std::string& source = opencl_kernels);

  const std::string& name() const { return name_; }  // "platform: device"
  const cl::Context& context() const { return context_; }
  const cl::Device& device() const { return device_; }
  const cl::Program& program() const { return program_; }
  const std::shared_ptr<opencl_buffers>& buffers() const { return buffers_; }
  const std::shared_ptr<device_transfers>& transfers() const { return transfers_; }

 private:
  void open(const std::string& name, const std::string& source);

  std::string name_;
  cl::Device device_;
  cl::Context context_;
  cl::Program program_;
  std::shared_ptr<opencl_buffers> buffers_;
  std::shared_ptr<device_transfers> transfers_;
};

}  // namespace components

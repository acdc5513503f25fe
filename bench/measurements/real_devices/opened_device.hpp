#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "components/device/device_queue.hpp"

// A device as these measurements use it. Each program links one source that opens it, by_opencl.cpp or by_cuda.cpp.
struct opened_device {
  std::string interface;  // "OpenCL", "CUDA"
  std::string name;
  std::function<std::unique_ptr<components::device_queue>()> queue;  // makes one
};

// `name` and `cpus` as opencl_device takes them; CUDA takes its first device. Throws device_error.
opened_device open_device(const std::string& name, const std::vector<int>& cpus);

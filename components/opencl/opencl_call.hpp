#pragma once

#include <string>

#include "components/device/device_error.hpp"
#include "components/opencl/opencl.hpp"

namespace components {

// "out of memory (-4 by clCreateBuffer)", or "error -36 by clFinish".
std::string text_of(const cl::Error& error);

// Calls f, and throws device_error for an error of OpenCL: "DEVICE: DOING: the error".
template <class F>
decltype(auto) opencl_call(const std::string& device, const std::string& doing, const F& f) {
  try {
    return f();
  } catch (const cl::Error& error) {
    throw device_error(device + ": " + doing + ": " + text_of(error));
  }
}

// The same for work on a queue. Before it throws, it waits for what the queue has begun, as far as the device does
// that: so no kernel uses memory of the caller any more.
template <class F>
void opencl_work(const cl::CommandQueue& queue, const std::string& device, const std::string& doing, const F& f) {
  opencl_call(device, doing, [&] {
    try {
      f();
    } catch (...) {
      try {
        queue.finish();
      } catch (const cl::Error&) {  // the first error is thrown
      }
      throw;
    }
  });
}

}  // namespace components

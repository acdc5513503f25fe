#pragma once

#include <gtest/gtest.h>

#include <string>

#include "components/device/device_error.hpp"
#include "components/opencl/opencl_device.hpp"

namespace components::testing {

// Whether this error says that this computer has nothing that runs OpenCL.
inline bool is_without_opencl(const device_error& error) {
  const std::string text = error.what();
  return text.find("there is no OpenCL platform") == 0 || text.find("there is no OpenCL device") == 0;
}

// Tests that need a device are skipped where there is none. Every other error fails them.
class with_opencl : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      opencl_device();
    } catch (const device_error& error) {
      if (is_without_opencl(error)) GTEST_SKIP() << error.what();
      FAIL() << error.what();
    }
  }
};

}  // namespace components::testing

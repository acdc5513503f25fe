#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "components/cuda/cuda_device.hpp"
#include "components/cuda/cuda_queue.hpp"
#include "components/device/device_error.hpp"
#include "components/device/device_kernels.hpp"
#include "tests/components/device/same_as_cores.hpp"

// The components of components/device by CUDA. Where there is no device, the error is checked, and the rest is skipped.
namespace components {
namespace {

class a_cuda_device : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      device.emplace();
    } catch (const device_error& error) {
      EXPECT_EQ(std::string(error.what()).find("CUDA: "), 0u) << error.what();
      GTEST_SKIP() << error.what();
    }
  }

  std::optional<cuda_device> device;
};

TEST_F(a_cuda_device, blurs_as_cores_do) {
  cuda_queue queue(*device);
  testing::expect_blurs_as_cores_do(queue);
}

TEST_F(a_cuda_device, multiplies_as_cores_do) {
  cuda_queue queue(*device);
  testing::expect_multiplies_as_cores_do(queue);
}

TEST_F(a_cuda_device, does_batches_as_cores_do) {
  cuda_queue queue(*device);
  testing::expect_batches_as_cores_do(queue);
}

// A chain of kernels copies its input there and its result back, and nothing between.
TEST_F(a_cuda_device, keeps_a_value_between_kernels) {
  cuda_queue first(*device), second(*device);
  device_image result(random_image(40, 30, 1));
  for (int i = 0; i < 4; ++i) result = blurred(i % 2 == 0 ? first : second, result, 2);
  rgb_image expected = random_image(40, 30, 1);
  for (int i = 0; i < 4; ++i) expected = blurred(expected, 2);
  EXPECT_TRUE(result.on_host().samples == expected.samples);
  EXPECT_EQ(device->transfers()->to_device(), 1u);
  EXPECT_EQ(device->transfers()->from_device(), 1u);
}

}  // namespace
}  // namespace components

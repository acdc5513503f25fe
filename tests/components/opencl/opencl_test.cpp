#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "components/device/device_error.hpp"
#include "components/device/device_kernels.hpp"
#include "components/opencl/opencl_device.hpp"
#include "components/opencl/opencl_queue.hpp"
#include "tests/components/device/same_as_cores.hpp"
#include "tests/components/opencl/with_opencl.hpp"
#include "tests/support/refusal.hpp"

// The components of components/device by OpenCL; PoCL runs it on cores where no other device is.
namespace components {
namespace {

std::string refused(const std::function<void()>& f) { return weir::testing::refusal<std::exception>(f); }

class an_opencl_device : public testing::with_opencl {};

TEST_F(an_opencl_device, blurs_as_cores_do) {
  const opencl_device device;
  opencl_queue queue(device);
  testing::expect_blurs_as_cores_do(queue);
}

TEST_F(an_opencl_device, multiplies_as_cores_do) {
  const opencl_device device;
  opencl_queue queue(device);
  testing::expect_multiplies_as_cores_do(queue);
}

TEST_F(an_opencl_device, does_batches_as_cores_do) {
  const opencl_device device;
  opencl_queue queue(device);
  testing::expect_batches_as_cores_do(queue);
  EXPECT_EQ(refused([&] { multiplied(queue, std::vector<matrix>(2), std::vector<matrix>(1)); }),
            "multiplied: 2 matrices times 1: expected as many");
}

// These sizes are small enough for oclgrind, which takes a thousand times as long.
TEST_F(an_opencl_device, does_in_a_few_small_sizes_as_cores_do) {
  const opencl_device device;
  opencl_queue queue(device);
  testing::expect_blurs_as_cores_do(queue, 3, 20);
  testing::expect_multiplies_as_cores_do(queue, 3, 20);
  testing::expect_batches_as_cores_do(queue, 2, 10);
}

// A chain of kernels copies its input there and its result back, and nothing between; the copy is kept.
TEST_F(an_opencl_device, keeps_a_value_between_kernels) {
  const opencl_device device;
  opencl_queue first(device), second(device);
  const rgb_image image = random_image(40, 30, 1);
  const device_image there(image);
  device_image result = there;
  for (int i = 0; i < 5; ++i) result = blurred(i % 2 == 0 ? first : second, result, 2);
  EXPECT_EQ(device.transfers()->to_device(), 1u);
  EXPECT_EQ(device.transfers()->from_device(), 0u);
  rgb_image expected = image;
  for (int i = 0; i < 5; ++i) expected = blurred(expected, 2);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(result.on_host().samples == expected.samples);
  blurred(second, there, 1);
  EXPECT_EQ(device.transfers()->to_device(), 1u);
  EXPECT_EQ(device.transfers()->from_device(), 1u);
  EXPECT_EQ(device.transfers()->bytes(), 2u * image.samples.size());
}

// Memory that is given back serves the next value of about its size.
TEST_F(an_opencl_device, keeps_memory_for_the_next_value) {
  const opencl_device device;
  opencl_buffers& buffers = *device.buffers();
  const cl::Buffer first = buffers.take(1000);
  buffers.give_back(first);
  EXPECT_NE(buffers.take(700)(), first());
  EXPECT_NE(buffers.take(1001)(), first());
  EXPECT_EQ(buffers.take(900)(), first());
  EXPECT_NE(buffers.take(900)(), first());
}

// Threads with queues of their own use one device at the same time.
TEST_F(an_opencl_device, serves_several_threads) {
  const opencl_device device;
  const device_image image(random_image(50, 50, 3));
  const rgb_image expected = blurred(image.on_host(), 4);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      opencl_queue queue(device);
      for (int i = 0; i < 10; ++i) right += blurred(queue, image, 4).on_host().samples == expected.samples;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 40);
}

TEST_F(an_opencl_device, refuses_what_it_cannot_do_in_words) {
  const opencl_device device;
  opencl_queue queue(device);
  EXPECT_NE(refused([] {
              opencl_device("no such device");
            }).find("no OpenCL device has no such device in its name; there is " + device.name()),
            std::string::npos);
  const std::string compiled = refused([] { opencl_device("", {}, "kernel void blur_pass() { unknown_name(); }"); });
  EXPECT_EQ(compiled.find(device.name() + ": the kernels do not compile: "), 0u) << compiled;
  EXPECT_NE(compiled.find("unknown_name"), std::string::npos) << compiled;
  const std::string large = refused([&] { queue.allocate(std::size_t{1} << 50); });
  EXPECT_EQ(large.find(device.name() + ": memory of 1125899906842624 bytes: out of memory ("), 0u) << large;
  EXPECT_EQ(refused([&] { opencl_device("", {1 << 20}); }),
            "OpenCL's threads cannot be bound to processing units 1048576: expected different ones that this process "
            "may use");
  EXPECT_EQ(refused([&] { blurred(queue, random_image(2, 2, 1), 13); }), "blurred: radius 13: expected 0 to 12");
  EXPECT_EQ(refused([&] {
              blurred(queue, rgb_image{2, 2, {}}, 1);
            }),
            "an image of 2x2 has 0 samples: expected three for each pixel");
  EXPECT_EQ(refused([&] { multiplied(queue, matrix(2, 3), matrix(2, 3)); }),
            "multiplied: a matrix of 2x3 times one of 2x3 does not fit");
}

// Sizes that an operand of no elements may have, and that no device can hold or count.
TEST_F(an_opencl_device, names_a_size_that_is_too_large) {
  const opencl_device device;
  opencl_queue queue(device);
  const std::size_t side = std::size_t{1} << 32;
  EXPECT_EQ(refused([&] { multiplied(queue, matrix(side, 0), matrix(0, side)); }),
            "a value of 4294967296x4294967296 elements: expected at most 2305843009213693951");
  const auto memory = queue.allocate(8);
  EXPECT_EQ(refused([&] { queue.blur(*memory, *memory, 715827883, 1, 1, 1); }),
            device.name() + ": a blur of 715827883x1 pixels: expected at most 715827882 in a row");
}

// A value that lies on one device is refused by another one, and serves the first as before.
TEST_F(an_opencl_device, refuses_a_value_of_another_one) {
  const opencl_device one, other;
  opencl_queue queue(one), stranger(other);
  const rgb_image image = random_image(9, 7, 1);
  const device_image there(image);
  blurred(queue, there, 1);
  EXPECT_EQ(refused([&] { blurred(stranger, there, 1); }),
            "a value on " + one.name() + " cannot be used on " + other.name() + ": expected one device, opened once");
  EXPECT_TRUE(blurred(queue, there, 1).on_host().samples == blurred(image, 1).samples);
}

// The processing units of each thread of this process, as the kernel writes them.
std::multiset<std::string> bindings() {
  std::multiset<std::string> found;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(thread.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.find("Cpus_allowed_list:") == 0) found.insert(line.substr(line.find_first_of("0123456789")));
  }
  return found;
}

// The first processing unit that this thread may use.
int first_unit() {
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) throw std::runtime_error("sched_getaffinity fails");
  int unit = 0;
  while (!CPU_ISSET(unit, &mine)) ++unit;
  return unit;
}

enum exit_code { is_bound = 0, is_not_bound = 1, is_skipped = 77 };

// Whether all threads that a first use of OpenCL started are bound to the first processing unit. Skipped without a
// device, and where it is not PoCL, whose threads are its driver's business.
exit_code binds_to_first_unit() try {
  const int unit = first_unit();
  const auto before = bindings();
  const opencl_device device("", {unit});
  if (device.name().find("Portable Computing Language") != 0) return is_skipped;
  opencl_queue queue(device);
  blurred(queue, random_image(300, 300, 1), 5);
  auto others = bindings();
  for (const std::string& one : before)
    if (const auto at = others.find(one); at != others.end()) others.erase(at);
  return !others.empty() && others.count(std::to_string(unit)) == others.size() ? is_bound : is_not_bound;
} catch (const device_error& error) {
  if (testing::is_without_opencl(error)) return is_skipped;
  throw;
}

// Death tests run in a process of their own, where OpenCL was not used before.
class a_process_with_opencl : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// PoCL binds its threads to the granted units, and the threads of the program keep their binding.
TEST_F(a_process_with_opencl, binds_its_threads_to_granted_processing_units) {
  int code = is_not_bound;
  const auto is_bound_or_skipped = [&](int status) {
    if (WIFEXITED(status)) code = WEXITSTATUS(status);
    return code == is_bound || code == is_skipped;
  };
  EXPECT_EXIT(std::exit(binds_to_first_unit()), is_bound_or_skipped, "");
  if (code == is_skipped) GTEST_SKIP() << "there is no device of PoCL";
}

// Prints why no device is opened where a variable of the environment has this value, and ends the process.
[[noreturn]] void print_refusal(const char* variable, const char* value) {
  setenv(variable, value, 1);
  std::fprintf(stderr, "%s\n", refused([] { opencl_device(); }).c_str());
  std::exit(0);
}

TEST_F(a_process_with_opencl, says_that_there_is_no_platform_or_no_device) {
  EXPECT_EXIT(print_refusal("OCL_ICD_VENDORS", "/nowhere"), ::testing::ExitedWithCode(0),
              "there is no OpenCL platform: expected the driver of a device, such as pocl-opencl-icd");
  // PoCL's, for the kinds of devices that it has; the loader may have another platform, or none.
  EXPECT_EXIT(print_refusal("POCL_DEVICES", "no kind of device"), ::testing::ExitedWithCode(0),
              "there is no OpenCL device: no platform has one|it was accepted|there is no OpenCL platform");
}

}  // namespace
}  // namespace components

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include <weir/weir.hpp>
#include "components/device/device_kernels.hpp"
#include "components/images/blur.hpp"
#include "components/opencl/opencl_device.hpp"
#include "components/opencl/opencl_queue.hpp"
#include "tests/components/opencl/with_opencl.hpp"
#include "tests/runtime/support/sender_thread.hpp"

// Boxes of a network that run by OpenCL.
namespace weir {
namespace {

using namespace components;

inline constexpr field<device_image> picture{"picture"};
inline constexpr tag id{"id"};

class an_opencl_box : public components::testing::with_opencl {
 protected:
  static rgb_image image_of(std::int64_t i) {
    return random_image(static_cast<int>(i % 23), static_cast<int>(i % 17), static_cast<std::uint64_t>(i));
  }

  // A box whose implementation on cores takes the value from the device if it lies there.
  static auto blur(const std::string& name, const opencl_device& by) {
    return box(name, takes(picture), gives(picture),
               [](const device_image& i) { return device_image(blurred(i.on_host(), 3)); })
        .on(
            gpu, [](opencl_queue& q, const device_image& i) { return blurred(q, i, 3); },
            each_slot([by] { return opencl_queue(by); }));
  }

  // Sends `count` images; each comes back blurred as often, in order.
  static run_report expect_blurred(const network& net, std::int64_t count, int times, const options& o) {
    execution run = start(net, o);
    weir::testing::sender_thread sender(run, count, [](std::int64_t i) {
      return record{picture = device_image(image_of(i)), id = i};
    });
    std::int64_t next = 0;
    for (const record& r : run) {
      EXPECT_EQ(r[id], next);
      rgb_image expected = image_of(next++);
      for (int t = 0; t < times; ++t) expected = blurred(expected, 3);
      EXPECT_TRUE(r[picture].on_host().samples == expected.samples) << "record " << next - 1;
    }
    sender.join();
    EXPECT_EQ(next, count);
    return run.report();
  }

  static inline const device gpu{"gpu0", 2};
};

// Two boxes on the device behind each other: an image is copied there before the first and back behind the second.
TEST_F(an_opencl_box, leaves_its_value_on_the_device_for_the_next_one) {
  const opencl_device by;
  const network net = blur("first", by).device_from(0) >> blur("second", by).device_from(0);
  const std::int64_t count = 200;
  const run_report r = expect_blurred(net, count, 2, {.devices = {gpu}});
  ASSERT_EQ(r.devices.size(), 2u);
  for (const device_report& d : r.devices) EXPECT_EQ(d.invocations, 200u) << r.full();
  std::uint64_t copied = 0;  // an image without pixels is never copied
  for (std::int64_t i = 0; i < count; ++i) copied += !image_of(i).samples.empty();
  EXPECT_EQ(by.transfers()->to_device(), copied);
  EXPECT_EQ(by.transfers()->from_device(), copied);
}

// Where records run is learnt: the results are the same, and nothing fails.
TEST_F(an_opencl_box, gives_the_same_on_cores_and_on_the_device) {
  const opencl_device by;
  const network net =
      blur("first", by).predicted_by([](const device_image& i) { return static_cast<double>(i.bytes()); }, degree{1}) >>
      blur("second", by);
  const run_report r = expect_blurred(net, 500, 2, {.devices = {gpu}});
  EXPECT_EQ(r.failed, 0u);
  for (const device_report& d : r.devices) EXPECT_EQ(d.errors, 0u) << r.full();
}

// A device without memory throws a device_error, which hands the record to the cores, and a note has the error.
TEST_F(an_opencl_box, without_memory_on_the_device_runs_on_cores) {
  const opencl_device by;
  const network net = box("blur", takes(picture), gives(picture),
                          [](const device_image& i) { return device_image(blurred(i.on_host(), 3)); })
                          .on(
                              gpu,
                              [](opencl_queue& q, const device_image& i) {
                                q.allocate(std::size_t{1} << 50);
                                return blurred(q, i, 3);
                              },
                              each_slot([&] { return opencl_queue(by); }))
                          .device_from(0);
  const run_report r = expect_blurred(net, 50, 1, {.devices = {gpu}});
  EXPECT_EQ(r.failed, 0u);
  ASSERT_EQ(r.devices.size(), 1u);
  EXPECT_GE(r.devices[0].errors, 1u);
  const bool is_noted = std::any_of(r.notes.begin(), r.notes.end(), [](const std::string& n) {
    return n.find("memory of 1125899906842624 bytes: out of memory") != n.npos;
  });
  EXPECT_TRUE(is_noted) << r.full();
}

// Memory of the device is a resource: what invocations need of it together never exceeds the total.
TEST_F(an_opencl_box, keeps_to_the_memory_of_the_device) {
  const opencl_device by;
  const resource memory{"memory of gpu0", 4096};
  const network net = blur("blur", by).device_from(0).needs(memory, [](const device_image& i) {
    return 3.0 * static_cast<double>(i.bytes());
  });
  const run_report r = expect_blurred(net, 200, 1, {.devices = {gpu}});
  EXPECT_EQ(r.failed, 0u);
  ASSERT_EQ(r.resources.size(), 1u);
  EXPECT_LE(r.resources[0].peak, 4096);
}

}  // namespace
}  // namespace weir

// Images are blurred twice by OpenCL, and stay on the device between. Small ones never go there.
#include <cstddef>
#include <cstdint>
#include <iostream>

#include <weir/weir.hpp>
#include "components/device/device_error.hpp"
#include "components/device/device_kernels.hpp"
#include "components/images/blur.hpp"
#include "components/opencl/opencl_device.hpp"
#include "components/opencl/opencl_queue.hpp"

namespace example {
using namespace weir;
using components::device_image;  // in main memory, on the device, or on both
using components::opencl_queue;

inline constexpr field<device_image> picture{"picture"};

components::rgb_image image_of(int i) { return components::random_image(i % 2 == 0 ? 80 : 8, 60, 1); }

void program() {
  const components::opencl_device opencl;  // the first GPU, or else the first device
  const device gpu{"gpu0", 2};
  const auto blur = [&](const char* name) {
    return box(name, takes(picture), gives(picture),
               [](const device_image& i) { return device_image(components::blurred(i.on_host(), 3)); })
        .predicted_by([](const device_image& i) { return i.bytes(); }, degree{1})
        .on(
            gpu, [](opencl_queue& q, const device_image& i) { return components::blurred(q, i, 3); },
            each_slot([&] { return opencl_queue(opencl); }))
        .device_from(10'000);  // bytes; without it the crossing point is learnt
  };

  execution run = start(blur("once") >> blur("twice"), {.devices = {gpu}});
  for (int i = 0; i < 100; ++i) run.send(picture = device_image(image_of(i)));
  run.close();
  int images = 0, right = 0;
  for (const record& r : run) {
    const components::rgb_image expected = components::blurred(components::blurred(image_of(images++), 3), 3);
    right += r[picture].on_host().samples == expected.samples;
  }
  std::cout << right << " of " << images << " images are right and in their order\n"
            << opencl.transfers()->to_device() << " copies to the device, " << opencl.transfers()->from_device()
            << " back\n";
}

}  // namespace example

int main() try { example::program(); } catch (const components::device_error& error) {  // no platform, no device
  std::cerr << error.what() << '\n';
  return 1;
}

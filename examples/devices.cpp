// Images are blurred on cores or on a device, wherever each is done first. The device here is emulated: a slot's thread
// stands for it.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <vector>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

using image = std::vector<std::uint8_t>;
inline constexpr field<image> picture{"picture"};
inline constexpr tag side{"side"};

image drawn(std::int64_t n) {
  image made(static_cast<std::size_t>(n * n));
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<std::uint8_t>(i * i);
  return made;
}

image blurred(const image& from) {
  image to(from);
  for (std::size_t i = 1; i + 1 < from.size(); ++i)
    to[i] = static_cast<std::uint8_t>((from[i - 1] + from[i] + from[i + 1]) / 3);
  return to;
}

// Stands for a stream of the device and its buffers.
struct stream {
  image buffer;
};

image blurred_there(stream& s, const slot& at, const image& from) {
  if (at.stop().stop_requested()) throw std::runtime_error("the run stops");
  if (from.size() > 160'000) throw std::runtime_error("the image is too large for the device");
  s.buffer = from;  // the copy to the device
  return blurred(s.buffer);
}

void program() {
  const device gpu{"gpu0", 2};
  const auto draw = box("draw", takes(side), gives(picture), drawn);
  const auto blur = box("blur", takes(picture), gives(picture), blurred)
                        .predicted_by([](const image& i) { return i.size(); }, degree{1})
                        .on(gpu, blurred_there, each_slot([] { return stream{}; }));

  execution run = start(draw >> blur, {.devices = {gpu}});
  for (std::int64_t n = 1; n <= 200; ++n) run.send(side = n % 50 == 0 ? 500 : n);
  run.close();
  std::size_t images = 0, right = 0;
  for (const record& r : run) {
    const image expected = blurred(drawn(++images % 50 == 0 ? 500 : static_cast<std::int64_t>(images)));
    right += r[picture] == expected;
  }
  std::cout << right << " of " << images << " images are right and in their order\n";
  const device_report used = run.report().devices.front();
  std::cout << used.component << " had at most " << (used.peak <= 2 ? "2" : "more than 2") << " slots of "
            << used.device << '\n';
}

}  // namespace example

int main() { example::program(); }

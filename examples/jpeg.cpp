// Three parallel streams: a picture is split into luminance and two colours, and a choice gives each a pipeline of its
// own. One synchrocell per picture joins their results, and the last box makes a file that every viewer opens. Several
// pictures are processed at the same time. The network is in jpeg_network.hpp, the code of the boxes in components/.
#include <iostream>
#include <tuple>

#include "examples/jpeg_network.hpp"

namespace example {
using namespace weir;
namespace jpeg = examples::jpeg;

inline constexpr tag width{"width"}, height{"height"};

// FNV-1a, to compare files by a short number.
std::uint32_t checksum(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t sum = 2166136261u;
  for (const std::uint8_t byte : bytes) sum = (sum ^ byte) * 16777619u;
  return sum;
}

void program() {
  const network encoder = jpeg::encoder();
  std::cout << to_string(encoder) << "\n\n";

  execution run = start(encoder, {.on_error = on_error::collect});
  for (const auto& [w, h, quality] : {std::tuple{320, 240, 75}, {1, 1, 50}, {17, 33, 100}, {640, 3, 1}, {200, 150, 0}})
    run.send(jpeg::image = components::random_image(w, h, 1), jpeg::quality = quality, width = w, height = h);
  run.close();
  for (const record& r : run) {
    const components::rgb_image picture = components::random_image(int(r[width]), int(r[height]), 1);
    std::cout << r[width] << "x" << r[height] << " at quality " << r[jpeg::quality] << ": " << r[jpeg::file].size()
              << " bytes, checksum " << std::hex << checksum(r[jpeg::file]) << std::dec
              << (r[jpeg::file] == components::encode_jpeg(picture, r[jpeg::quality])
                      ? ", as one step after the other gives it\n"
                      : ", WRONG\n");
  }
  for (const failure& f : run.errors()) std::cout << to_string(f) << '\n';
}

}  // namespace example

int main() { example::program(); }

#include <array>
#include <cstdint>

#include "tests/runtime/record/libraries/frame.hpp"

// A library of networks, compiled once for each number of coordinates.
using namespace weir;

struct point {
  std::array<std::int64_t, POINT_COORDINATES> at;
};

namespace {
constexpr field<point> where{"where"};

network gives_point() {
  return box("draw", takes(n), gives(where), [](std::int64_t k) { return point{{k}}; });
}
network takes_point() {
  return box("size", takes(where), gives(n), [](const point& p) { return p.at[0] * POINT_COORDINATES; });
}
}  // namespace

extern "C" {
[[gnu::visibility("default")]] network* measure() {
  return new network(box("measure", takes(image), gives(n),
                         [](const frame& f) { return static_cast<std::int64_t>(f.pixels.size()); }));
}
[[gnu::visibility("default")]] network* paint() {
  return new network(
      box("paint", takes(n), gives(image), [](std::int64_t k) { return frame{std::string(std::size_t(k), 'x')}; }));
}
[[gnu::visibility("default")]] network* draw() { return new network(gives_point()); }
[[gnu::visibility("default")]] network* size() { return new network(takes_point()); }
[[gnu::visibility("default")]] network* draw_and_size() { return new network(gives_point() >> takes_point()); }
}

// A library of boxes, which links nothing of weir.
#include <cstdint>
#include <weir/weir.hpp>

constexpr weir::tag n{"n"};

extern "C" [[gnu::visibility("default")]] void weir_boxes(weir::registry& r) {
  r.add(weir::box("square", weir::takes(n), weir::gives(n), [](std::int64_t x) { return x * x; }));
}

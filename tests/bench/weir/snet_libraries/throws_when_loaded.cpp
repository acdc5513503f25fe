// A static object throws.
#include <weir/weir.hpp>

namespace {
struct thrower {
  thrower() { throw 7; }
} const thrown;
}  // namespace

extern "C" void weir_boxes(weir::registry&) {}

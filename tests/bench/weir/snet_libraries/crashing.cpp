// A box that aborts the process for 0, and never returns for numbers below.
#include <cstdlib>

#include <unistd.h>

#include <weir/weir.hpp>

using namespace weir;

namespace {
inline constexpr tag n{"n"}, half{"half"};
}  // namespace

extern "C" void weir_boxes(registry& r) {
  r.add(box("halve", takes(n), gives(half), [](std::int64_t value) {
    if (value == 0) std::abort();
    while (value < 0) ::pause();
    return value / 2;
  }));
}

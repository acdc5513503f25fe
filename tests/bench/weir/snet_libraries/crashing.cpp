// A box that aborts the process for 0, never returns for numbers below, and calls exit() with numbers above 1000, less
// 1001. With the variable it calls exit(0) while it is loaded.
#include <cstdlib>

#include <unistd.h>

#include <weir/weir.hpp>

using namespace weir;

namespace {
inline constexpr tag n{"n"}, half{"half"};
}  // namespace

extern "C" void weir_boxes(registry& r) {
  if (std::getenv("WEIR_TEST_EXITS")) std::exit(0);
  r.add(box("halve", takes(n), gives(half), [](std::int64_t value) {
    if (value == 0) std::abort();
    while (value < 0) ::pause();
    if (value > 1000) std::exit(static_cast<int>(value - 1001));
    return value / 2;
  }));
}

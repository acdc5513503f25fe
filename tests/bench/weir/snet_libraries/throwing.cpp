// Exceptions that a library of boxes may throw, and that the values of its fields may throw when they print.
#include <cstdlib>
#include <ostream>
#include <stdexcept>
#include <string>

#include <weir/weir_box.h>
#include <weir/weir.hpp>

using namespace weir;

namespace {

inline constexpr tag n{"n"}, m{"m"}, other{"other"};

void throws_through_c(weir_call* call, void*) {
  weir_set_tag(call, "m", 1);
  if (weir_get_tag(call, "n")) throw std::runtime_error("through C");
  throw 42;
}

// Prints where it is even.
struct shy {
  std::int64_t value;
  friend std::ostream& operator<<(std::ostream& to, const shy& s) {
    if (s.value % 2) throw std::runtime_error("I am odd");
    return to << s.value;
  }
};
inline constexpr field<shy> s{"s"};

}  // namespace

#ifdef WEIR_BOXES_IN_C
extern "C" void weir_boxes_c(weir_registry* boxes) {
  if (std::getenv("WEIR_MISTAKE")) throw 42;
  weir_add_box(boxes, "box f((<n>) -> (<m>));", throws_through_c, nullptr, nullptr);
}
#else
extern "C" void weir_boxes(registry& r) {
  if (const char* which = std::getenv("WEIR_MISTAKE")) {
    if (*which == '1') throw 42;
    r.add(bypass());
  }
  r.add(box("hide", takes(n), gives(s), [](std::int64_t x) { return shy{x}; }));
  r.add(box("f", takes(n), gives(m), [](std::int64_t x, emitter& emit) {
    if (x == 0) throw 42;
    if (x == 1) throw std::runtime_error("one");
    emit(other = x);
  }));
}
#endif

// Boxes whose results have values of a type without operator<<.
#include <string>
#include <tuple>

#include <weir/weir.hpp>

using namespace weir;

struct matrix {
  std::string cells;
};

namespace {
inline constexpr field<std::string> word{"word"};
inline constexpr field<matrix> made{"made"};
}  // namespace

extern "C" void weir_boxes(registry& r) {
  r.add(box("fill", takes(word), gives(word, made), [](const std::string& w) { return std::tuple(w, matrix{w}); }));
}

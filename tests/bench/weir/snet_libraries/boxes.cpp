// Boxes in C++, and a network of them.
#include <string>
#include <tuple>

#include <weir/weir.hpp>

using namespace weir;

namespace {
inline constexpr field<std::string> word{"word"};
inline constexpr field<double> weight{"weight"};
inline constexpr tag n{"n"};
}  // namespace

extern "C" void weir_boxes(registry& r) {
  const network count = box("count", takes(word), gives(word, n),
                            [](const std::string& w) { return std::tuple(w, std::int64_t(w.size())); });
  const network weigh = box("weigh", takes(word, n), gives(word, weight),
                            [](const std::string& w, std::int64_t k) { return std::tuple(w, double(k) / 2); });
  r.add(count).add(weigh).add("both", count >> weigh);
}

// A box in a user's shared library, which exports nothing else.
#include <numeric>
#include <stdexcept>
#include <vector>
#include <weir/weir.hpp>

using samples = std::vector<double>;

namespace {
constexpr weir::field<samples> wave{"wave"};
constexpr weir::field<std::string> text{"text"};
}  // namespace

[[gnu::visibility("default")]] weir::network sum_box() {
  return weir::box("sum", weir::takes(wave), weir::gives(text), [](const samples& s) {
    if (s.empty()) throw std::out_of_range("nothing to sum");
    return std::to_string(std::accumulate(s.begin(), s.end(), 0.0));
  });
}

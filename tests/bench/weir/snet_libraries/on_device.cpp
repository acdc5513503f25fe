// A box that runs on a device as well, and there alone where the run has it.
#include <string>
#include <tuple>

#include <weir/weir.hpp>

using namespace weir;

namespace {
inline constexpr field<std::string> word{"word"}, by{"by"};
}  // namespace

extern "C" void weir_boxes(registry& r) {
  const auto done = [](const char* where) {
    return [where](const std::string& w) { return std::tuple(w, std::string(where)); };
  };
  r.add(box("mark", takes(word), gives(word, by), done("cores")).on(device{"gpu0", 2}, done("gpu0")).device_from(0));
}

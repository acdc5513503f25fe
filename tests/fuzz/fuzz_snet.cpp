// Networks as text. A text is accepted or has errors with lines and columns; an accepted text prints as a text of the
// same network, and its layout is the layout of itself.
#include <cstdlib>
#include <string>

#include "runtime/snet/layout.hpp"
#include "runtime/snet/load.hpp"
#include "runtime/snet/record_notation.hpp"

using namespace weir;
using namespace weir::detail::snet;

namespace {

void must(bool holds) {
  if (!holds) std::abort();
}

// Boxes of one name and different labels have no text; no network with them can start.
bool prints_again(const std::string& text) {
  fault_list faults;
  const source_text source("again", text);
  const auto made = load(source, {}, true, faults);
  return !made || to_string(made->net) == text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const source_text text("text", std::string(data, data + size));
  fault_list faults;
  const auto made = load(text, {}, true, faults);
  must(made.has_value() == faults.empty());
  must(faults.to_string(text).size() < 65'536);
  fault_list of_layout;
  const std::string once = laid_out(text, of_layout);
  if (of_layout.empty()) {
    fault_list none;
    must(laid_out(source_text("once", once), none) == once && none.empty());
  }
  if (made) {
    constexpr std::size_t longest = 10'000;  // a few bytes may describe a network that prints as megabytes
    if (made->net.signature().rules.size() < 50 && size < longest) {
      const std::string printed = to_string(made->net);
      if (printed.size() < longest) must(prints_again(printed));
    }
  }
  try {
    const registry none;
    const record_notation notation({}, none);
    const std::string line = notation.written(notation.read(text.text()));
    must(notation.written(notation.read(line)) == line);
  } catch (const std::invalid_argument&) {
  }
  return 0;
}

#include <weir/process/field_bytes.hpp>

#include <stdexcept>

namespace weir::detail {

void refuse_bytes(std::string_view bytes, const char* expected) {
  constexpr std::size_t most = 100;
  const std::string shown(bytes.substr(0, most));
  throw std::runtime_error("the process wrote \"" + shown + (bytes.size() > most ? "...\"" : "\"") + ", expected " +
                           expected);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t first = text.find_first_not_of(space);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

}  // namespace weir::detail

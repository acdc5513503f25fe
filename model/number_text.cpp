#include "model/number_text.hpp"

#include <array>
#include <charconv>

namespace weir {
namespace {

std::string printed(double value, std::chars_format how, int precision) {
  std::array<char, 512> text;  // the largest double has 309 digits before its point
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, how, precision).ptr};
}

}  // namespace

std::string in_digits(double value, int digits) { return printed(value, std::chars_format::general, digits); }
std::string in_places(double value, int places) { return printed(value, std::chars_format::fixed, places); }

}  // namespace weir

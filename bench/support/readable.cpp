#include "bench/support/readable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "runtime/options/json_fault.hpp"

namespace weir::program {

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  for (const auto& [below, factor, unit] : {std::tuple{1e-6, 1e9, "ns"}, {1e-3, 1e6, "us"}, {1.0, 1e3, "ms"}})
    if (seconds < 0.9995 * below) return fmt::format("{:.3g} {}", seconds * factor, unit);  // avoids "1e+03 ms"
  return seconds < 100 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string counted(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string percentage(double value) {
  if (!std::isfinite(value)) return "-";
  return std::abs(value) < 99.95 || std::abs(value) >= 1e6 ? fmt::format("{:.3g} %", value)
                                                           : fmt::format("{:.0f} %", value);
}

namespace {

// The length in bytes of the first character; 0 if it is a control character or not UTF-8. Table 3-7 of Unicode.
std::size_t shown_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follow = [&](std::size_t count, unsigned least, unsigned most) {
    bool is_whole = least <= byte(1) && byte(1) <= most;
    for (std::size_t i = 2; i <= count; ++i) is_whole = is_whole && 0x80 <= byte(i) && byte(i) <= 0xBF;
    return is_whole ? count + 1 : 0;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  if (first == 0xC2) return follow(1, 0xA0, 0xBF);  // below 0xA0 are the control characters U+0080 to U+009F
  if (0xC3 <= first && first <= 0xDF) return follow(1, 0x80, 0xBF);
  if (0xE0 <= first && first <= 0xEF) return follow(2, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
  if (0xF0 <= first && first <= 0xF4) return follow(3, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
  return 0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t bytes = shown_bytes(text);
    if (bytes > 0)
      result += text.substr(0, bytes);
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
}

namespace {

// The first `most` bytes, or a few less, so that no character is cut in two.
std::string_view beginning(std::string_view text, std::size_t most) {
  const auto continues = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
  std::size_t end = text.size();
  if (end > most)
    for (end = most; end > 0 && continues(end);) --end;
  return text.substr(0, end);
}

}  // namespace

std::string excerpt(std::string_view text) {
  const std::string_view begun = beginning(text, 60);
  return '"' + printable(begun) + (begun.size() < text.size() ? "...\"" : "\"");
}

std::string in_short(std::string_view words) {
  const std::string_view begun = beginning(words, 300);
  return printable(begun) + (begun.size() < words.size() ? "..." : "");
}

std::string in_short(const std::exception& thrown) { return in_short(detail::json_fault(thrown)); }

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i ? ", " : "") + printable(names[i]);
  return names.size() > most ? text + fmt::format(" and {} more", names.size() - most) : text;
}

}  // namespace weir::program

#include "bench/weir/readable.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

namespace weir::command {

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  for (const auto& [below, factor, unit] : {std::tuple{1e-6, 1e9, "ns"}, {1e-3, 1e6, "us"}, {1.0, 1e3, "ms"}})
    if (seconds < 0.9995 * below) return fmt::format("{:.3g} {}", seconds * factor, unit);  // never "1e+03 ms"
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

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return result;
}

namespace {

// The first `most` bytes, or a few less: no character is cut in two.
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

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i ? ", " : "") + printable(names[i]);
  return names.size() > most ? text + fmt::format(" and {} more", names.size() - most) : text;
}

}  // namespace weir::command

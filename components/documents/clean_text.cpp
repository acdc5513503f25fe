#include "components/documents/clean_text.hpp"

#include <algorithm>
#include <cstddef>

namespace components {
namespace {

constexpr std::size_t least_bytes = 20;

bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }
bool is_letter(unsigned char c) { return c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::optional<std::string> clean_text(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  bool behind_space = false;
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_space(byte)) {
      behind_space = true;
    } else if (!is_control(byte)) {
      if (behind_space && !text.empty()) text += ' ';
      behind_space = false;
      text += c;
    }
  }
  const auto letters = static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return is_letter(static_cast<unsigned char>(c)); }));
  if (text.size() < least_bytes || letters * 2 < text.size()) return std::nullopt;
  return text;
}

}  // namespace components

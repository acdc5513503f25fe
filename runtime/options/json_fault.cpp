#include "runtime/options/json_fault.hpp"

#include <string_view>

namespace weir::detail {
namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  const bool is_there = text.starts_with(prefix);
  if (is_there) text.remove_prefix(prefix.size());
  return is_there;
}

}  // namespace

std::string json_fault(const std::exception& thrown) {
  std::string_view words = thrown.what();
  if (!take_prefix(words, "[json.exception.")) return std::string(words);
  if (const std::size_t end = words.find("] "); end != std::string_view::npos) words.remove_prefix(end + 2);
  if (take_prefix(words, "number overflow parsing ")) return "the number " + std::string(words) + " is too large";
  if (!take_prefix(words, "parse error at ")) return std::string(words);
  const std::size_t stop = words.find(": ");
  std::string made = "invalid JSON at " + std::string(words.substr(0, stop));
  if (stop == std::string_view::npos) return made;
  words.remove_prefix(stop + 2);
  if (take_prefix(words, "syntax error"))
    if (const std::size_t what = words.find(" - "); what != std::string_view::npos) words.remove_prefix(what + 3);
  return made + ": " + std::string(words);
}

}  // namespace weir::detail

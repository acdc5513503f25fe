#include "runtime/snet/lexer.hpp"

#include <array>

namespace weir::detail::snet {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Longer ones first. `[|` and `|]` enclose a synchrocell; `[` and `|` next to each other mean nothing else.
constexpr std::array<std::string_view, 18> signs{
    "...", "..", "->", "[|", "|]", "||", "**", "!!", "!=", "==", "<=", ">=", "&&", "::", "(", ")", "{", "}"};
constexpr std::string_view single = "[]<>|*!@\\#=,;+-/%?:";

}  // namespace

offset lexer::behind_space(offset from) const {
  while (from < text_.size() && is_space(text_[from])) ++from;
  return from;
}

offset lexer::behind_comment(offset from) const {
  const std::string_view rest = text_.substr(from);
  std::size_t end = std::string_view::npos;
  if (rest.starts_with("//")) {
    end = text_.find('\n', from);
    return static_cast<offset>(end == std::string_view::npos ? text_.size() : end);
  }
  if (rest.starts_with("/*")) end = text_.find("*/", from + 2);
  return end == std::string_view::npos ? from : static_cast<offset>(end + 2);
}

token lexer::at(offset from) const {
  for (;;) {
    from = behind_space(from);
    const offset behind = behind_comment(from);
    if (behind == from) break;
    from = behind;
  }
  const std::string_view rest = text_.substr(from);
  if (rest.empty()) return {token_kind::end, from, from};
  const auto upto = [&](token_kind kind, std::size_t length) {
    return token{kind, from, static_cast<offset>(from + length)};
  };
  if (is_letter(rest[0]) || is_digit(rest[0])) {
    std::size_t length = 1;
    while (length < rest.size() && (is_letter(rest[length]) || is_digit(rest[length]))) ++length;
    return upto(is_digit(rest[0]) ? token_kind::number : token_kind::name, length);
  }
  if (rest.starts_with("/*")) return upto(token_kind::bad, rest.size());
  if (rest.starts_with("<<<")) {
    const std::size_t close = rest.find(">>>");
    return close == std::string_view::npos ? upto(token_kind::bad, rest.size()) : upto(token_kind::code, close + 3);
  }
  for (const std::string_view sign : signs)
    if (rest.starts_with(sign)) return upto(token_kind::sign, sign.size());
  return upto(single.find(rest[0]) == std::string_view::npos ? token_kind::bad : token_kind::sign, 1);
}

std::string lexer::why_bad(const token& t) const {
  const std::string_view text = text_of(t);
  if (text.starts_with("/*")) return "unclosed comment: /* without */";
  if (text.starts_with("<<<")) return "unclosed body of a box: <<< without >>>";
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte >= ' ' && byte <= '~') return "'" + std::string(text) + "' has no meaning here";
  constexpr std::string_view digits = "0123456789abcdef";
  return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15] + " has no meaning here" +
         (byte < 0x80 ? ""
          : text_.substr(t.begin).starts_with("\xef\xbb\xbf")
              ? ": it begins a byte order mark of UTF-8 (BOM); save the "
                "text without one, since outside of comments it is ASCII"
              : "; outside of comments a text is ASCII");
}

}  // namespace weir::detail::snet

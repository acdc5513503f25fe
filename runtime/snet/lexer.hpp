#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/snet/source_text.hpp"

namespace weir::detail::snet {

enum class token_kind : std::uint8_t {
  end,     // of the text
  name,    // keywords, too: they are words like any others where labels stand
  number,  // letters and digits that begin with a digit
  code,    // `<<< .. >>>`
  sign,    // everything else; its text says which
  bad      // bytes that begin nothing, or something without its end
};

struct token {
  token_kind kind;
  offset begin, end;
};

// Cuts a text into tokens, one at a time. Any thread may use it; it takes time for the bytes that it goes over.
class lexer {
 public:
  explicit lexer(std::string_view text) : text_(text) {}

  // The token that begins at `from` or behind the white space and the comments there. An unclosed comment is `bad`.
  token at(offset from) const;

  std::string_view text_of(const token& t) const { return text_.substr(t.begin, t.end - t.begin); }

  // The end of the white space at `from`, and of the comment there; `from` when there is none.
  offset behind_space(offset from) const;
  offset behind_comment(offset from) const;

  // Why a bad token is one, in words.
  std::string why_bad(const token& t) const;

 private:
  std::string_view text_;
};

}  // namespace weir::detail::snet

#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/snet/fault_list.hpp"
#include "runtime/snet/lexer.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::detail::snet {

// Thrown where a definition cannot be parsed any further; the parser goes on behind it.
struct syntax_fault {
  fault what;
};

// A bracket that waits for its other half.
struct opened {
  std::string_view sign;
  offset place;
};

// Reads tokens, one ahead, for a recursive descent.
class token_reader {
 public:
  token_reader(const source_text& text, fault_list& faults, std::vector<placed_token>* taken)
      : text_(text), lexer_(text.text()), faults_(faults), taken_(taken) {
    now_ = next_at(0);
  }

  const token& now() const { return now_; }
  std::string_view word_now() const { return lexer_.text_of(now_); }
  token ahead() const { return lexer_.at(now_.end); }
  std::string_view word_of(const token& t) const { return lexer_.text_of(t); }

  bool at_end() const { return now_.kind == token_kind::end; }
  bool is(std::string_view sign) const { return now_.kind == token_kind::sign && word_now() == sign; }
  bool is_word(std::string_view word) const { return now_.kind == token_kind::name && word_now() == word; }
  bool is_name() const { return now_.kind == token_kind::name; }
  bool is_ahead(std::string_view sign) const {
    const token t = ahead();
    return t.kind == token_kind::sign && lexer_.text_of(t) == sign;
  }

  token take(token_role role = token_role::plain);
  bool take_if(std::string_view sign, token_role role = token_role::plain) { return is(sign) && (take(role), true); }

  // A name, or a fault that says what was expected. That of a network or type is no keyword.
  word name(const char* what);
  word name_of_definition(const char* what);
  void refuse_keyword() const;
  void expect(std::string_view sign, const char* where, token_role role = token_role::plain);

  opened open(std::string_view sign, token_role role);  // REQUIRES: it is here
  void close(std::string_view sign, const opened& from, token_role role);
  bool close_if(std::string_view sign, const opened& from) {
    return is(sign) && (close(sign, from, token_role::list_close), true);
  }
  void close_tag(const opened& from);  // a `>`, perhaps of a `>=`

  // Takes everything up to the end of `close` as one token; false when the text has none.
  bool take_raw(std::string_view close);

  // Throws a syntax_fault at this token: "expected {what}, found {token}".
  [[noreturn]] void fail(const std::string& expected) const;
  [[noreturn]] static void fail_too_deep(offset place);
  [[noreturn]] static void fail_at(offset place, std::string words, std::vector<remark> notes = {}) {
    throw syntax_fault{{{place, std::move(words)}, std::move(notes)}};
  }
  std::string found() const;                 // the token in words
  std::string place_of(offset place) const;  // `line 3, column 7`

  void report(syntax_fault f) { faults_.add(f.what.what.place, std::move(f.what.what.words), std::move(f.what.notes)); }
  fault_list& faults() { return faults_; }
  const source_text& text() const { return text_; }

  // Behind a fault: brackets opened since this count are no longer waited for.
  std::size_t open_count() const { return open_.size(); }
  int open_since(std::size_t from, std::string_view sign) const {
    return static_cast<int>(std::count_if(open_.begin() + static_cast<std::ptrdiff_t>(from), open_.end(),
                                          [&](const opened& o) { return o.sign == sign; }));
  }
  void forget_open(std::size_t down_to) {
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(down_to), open_.end());
  }

 private:
  [[noreturn]] void fail_unclosed(const opened& bracket, const std::string& words) const;
  token next_at(offset from);

  const source_text& text_;
  lexer lexer_;
  fault_list& faults_;
  std::vector<placed_token>* taken_;
  token now_{};
  std::vector<opened> open_;  // innermost last
};

}  // namespace weir::detail::snet

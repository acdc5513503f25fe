#include "runtime/snet/token_reader.hpp"

#include <algorithm>
#include <array>

#include "runtime/threads/stack_room.hpp"

namespace weir::detail::snet {

// The first lines of texts that S-Net's compiler writes between two of its stages.
token token_reader::next_at(offset from) {
  for (offset at = lexer_.behind_space(from);;) {
    const offset behind = lexer_.behind_comment(at);
    if (behind == at) break;
    if (text_.text().substr(at).starts_with("//! snet "))
      faults_.add(at,
                  "a form that S-Net's compiler uses inside: \"//! snet\" begins what it writes between its stages, "
                  "which is not read here");
    at = lexer_.behind_space(behind);
  }
  return lexer_.at(from);
}

token token_reader::take(token_role role) {
  const token t = now_;
  if (t.kind == token_kind::end) return t;
  if (taken_) taken_->push_back({t.begin, t.end, role});
  now_ = next_at(t.end);
  return t;
}

word token_reader::name(const char* what) {
  if (!is_name()) fail(what);
  const token t = take();
  return {word_of(t), t.begin};
}

// S-Net's keywords. Labels may be called like them, since these stand where no keyword can.
void token_reader::refuse_keyword() const {
  constexpr std::array<std::string_view, 8> keywords{"net", "box", "type", "typesig", "connect", "if", "then", "else"};
  if (is_name() && std::find(keywords.begin(), keywords.end(), word_now()) != keywords.end())
    fail_at(now_.begin, shown(word_now()) + " is a keyword, which cannot be the name of a net, a box or a type");
}

word token_reader::name_of_definition(const char* what) {
  refuse_keyword();
  return name(what);
}

void token_reader::expect(std::string_view sign, const char* where, token_role role) {
  if (!is(sign)) fail(std::string(sign) + " " + where);
  take(role);
}

opened token_reader::open(std::string_view sign, token_role role) {
  open_.push_back({sign, take(role).begin});
  return open_.back();
}

void token_reader::close(std::string_view sign, const opened& from, token_role role) {
  if (is(sign)) {
    take(role);
    open_.pop_back();
    return;
  }
  if (now_.kind == token_kind::bad) fail_at(now_.begin, lexer_.why_bad(now_));
  fail_unclosed(from, "expected " + std::string(sign) + ", found " + found());
}

void token_reader::close_tag(const opened& from) {
  if (now_.kind == token_kind::sign && word_now() == ">=") now_.end = now_.begin + 1;
  close(">", from, token_role::tag_close);
}

bool token_reader::take_raw(std::string_view close) {
  const std::size_t at = text_.text().find(close, now_.begin);
  if (at == std::string_view::npos) return false;
  now_.end = static_cast<offset>(at + close.size());
  take(token_role::metadata);
  return true;
}

void token_reader::fail(const std::string& expected) const {
  if (now_.kind == token_kind::bad) fail_at(now_.begin, lexer_.why_bad(now_));
  std::string words = "expected " + expected + ", found " + found();
  if (!at_end() || open_.empty()) fail_at(now_.begin, std::move(words));
  fail_unclosed(open_.back(), words);
}

void token_reader::fail_unclosed(const opened& bracket, const std::string& words) const {
  const std::string sign(bracket.sign);
  fail_at(now_.begin, "unclosed " + sign + ": " + words + "; the " + sign + " was opened at " + place_of(bracket.place),
          {{bracket.place, "the " + sign + " was opened here"}});
}

void token_reader::fail_too_deep(offset place) {
  if (!stack_room::has(stack_kept)) fail_at(place, "nested deeper than the stack of this thread allows");
  fail_at(place, "nested more than " + std::to_string(deepest) + " deep");
}

std::string token_reader::found() const {
  if (at_end()) return "the end of the text";
  if (now_.kind == token_kind::bad) return lexer_.why_bad(now_);
  return "'" + shown(word_now(), 30) + "'";
}

std::string token_reader::place_of(offset place) const {
  const line_and_column at = text_.at(place);
  return "line " + std::to_string(at.line) + ", column " + std::to_string(at.column);
}

}  // namespace weir::detail::snet

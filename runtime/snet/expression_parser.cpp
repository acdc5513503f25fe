#include "runtime/snet/expression_parser.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/snet/lexer.hpp"

namespace weir::detail::snet {
namespace {

struct infix {
  std::string_view sign;
  int binds;
};
constexpr std::array<infix, 15> infixes{{{"||", 2},
                                         {"&&", 3},
                                         {"==", 4},
                                         {"!=", 4},
                                         {"<", 5},
                                         {"<=", 5},
                                         {">", 5},
                                         {">=", 5},
                                         {"+", 6},
                                         {"-", 6},
                                         {"*", 7},
                                         {"/", 7},
                                         {"%", 7},
                                         {"min", 8},
                                         {"max", 8}}};

// A part that waits for the rest of an expression.
struct waiting {
  enum kind { row, parentheses, call, middle };  // middle: what is between `?` and `:`
  kind what;
  term made{};  // row, call
  opened from{};
  std::vector<word> prefixes{};
};

}  // namespace

// Whether an operand begins at this token, which stands behind a `>`. If none does, the `>` closes the tag or guard.
bool expression_parser::begins_operand(const token& t) const {
  const std::string_view text = in_.word_of(t);
  if (t.kind == token_kind::number) return true;
  const std::string_view next = in_.word_of(lexer(in_.text().text()).at(t.end));
  if (t.kind == token_kind::name) {  // these two are tags where nothing follows that they could introduce
    if (text == "then") return next != "{" && next != "else" && next != "]" && next != ";";
    return text != "until" || next != "{";
  }
  if (t.kind != token_kind::sign) return false;
  if (text == "!" || text == "!!") {  // the split of a network whose guard ends here
    return next != "<" && next != "@";
  }
  return text == "(" || text == "#" || text == "-";
}

int expression_parser::binds_here() const {
  const std::string_view text = in_.word_now();
  const auto at = std::find_if(infixes.begin(), infixes.end(), [&](const infix& i) { return i.sign == text; });
  if (at == infixes.end() || in_.now().kind == token_kind::bad) return 0;
  const bool is_word = in_.is_name();
  if ((is_word || text == ">" || text == ">=") && !begins_operand(in_.ahead())) return 0;
  return at->binds;
}

// Counts what is inside, which a term in a row without parentheses is not.
term expression_parser::combined(term made) const {
  const bool is_choice = made.operation == "?";
  for (const term& t : made.operands) {
    const bool is_in_row = is_choice ? &t == &made.operands.back()
                                     : made.operation.empty() && &t == &made.operands.front() && t.binds >= made.binds;
    made.depth = std::max(made.depth, t.depth + (is_in_row && !t.operands.empty() ? 0 : 1));
  }
  if (made.depth > deepest) token_reader::fail_too_deep(made.place);
  return made;
}

// Rows, parentheses and calls wait in a list, the outermost first, so that deep ones take no stack.
term expression_parser::expression(const record_syntax& pattern, std::uint32_t depth) {
  std::vector<waiting> open;
  std::uint32_t nested_here = 0;
  const auto nest = [&](waiting::kind what) -> waiting& {
    if (depth + ++nested_here > deepest) token_reader::fail_too_deep(in_.now().begin);
    return open.emplace_back(waiting{what});
  };
  // An operand, or what waits for one.
  const auto next = [&]() -> std::optional<term> {
    std::vector<word> before = prefixes(pattern);
    const bool is_call = (in_.is_word("min") || in_.is_word("max")) && in_.is_ahead("(");
    if (!is_call && !in_.is("(")) return prefixed(leaf(), before);
    waiting& inner = nest(is_call ? waiting::call : waiting::parentheses);
    inner.prefixes = std::move(before);
    inner.made = term{is_call ? in_.word_now() : "", in_.now().begin};
    if (is_call) in_.take(token_role::plain);
    inner.from = in_.open("(", token_role::list_open);
    return std::nullopt;
  };
  for (std::optional<term> last = next();;) {
    if (!last) {
      last = next();
      continue;
    }
    const bool is_choice = in_.is("?");
    const int binds = is_choice ? term::loosest : binds_here();
    for (; !open.empty() && open.back().what == waiting::row && open.back().made.binds > binds; open.pop_back()) {
      open.back().made.operands.push_back(*std::move(last));
      last = combined(std::move(open.back().made));
    }
    if (binds != 0) {
      const token sign = in_.take(token_role::operation);
      if (open.empty() || open.back().what != waiting::row || open.back().made.binds < binds) {
        term& made = open.emplace_back(waiting{waiting::row}).made;
        made = term{is_choice ? "?" : "", sign.begin};
        made.binds = binds;
      }
      open.back().made.operands.push_back(*std::move(last));
      open.back().made.signs.push_back({in_.word_of(sign), sign.begin});
      if (is_choice) nest(waiting::middle);
      last.reset();
      continue;
    }
    if (open.empty()) return *std::move(last);
    waiting& around = open.back();
    std::vector<term>& operands = around.made.operands;
    switch (around.what) {
      case waiting::call: {
        const auto refuse = [&](const char* got) {
          token_reader::fail_at(around.made.place,
                                std::string(around.made.operation) + " takes two operands, got " + got);
        };
        operands.push_back(*std::move(last));
        if (operands.size() == 1) {
          if (in_.is(")")) refuse("one");
          in_.expect(",", "between the two operands", token_role::separator);
          last.reset();
          continue;
        }
        if (in_.is(",")) refuse("more");
        last = combined(std::move(around.made));
        [[fallthrough]];
      }
      case waiting::parentheses:
        in_.close(")", around.from, token_role::list_close);
        last = prefixed(*std::move(last), around.prefixes);
        break;
      default: {
        in_.expect(":", "of the ? before", token_role::operation);
        open[open.size() - 2].made.operands.push_back(*std::move(last));
        last.reset();
      }
    }
    open.pop_back();
    --nested_here;
  }
}

bool expression_parser::is_prefix_abs(const record_syntax& pattern) const {
  const token next = in_.ahead();
  if (!begins_operand(next)) return false;
  if (in_.word_of(next) != "-" || lexer(in_.text().text()).at(next.end).kind == token_kind::number) return true;
  // `abs - n` is a difference where there is a tag of this name.
  return std::none_of(pattern.labels.begin(), pattern.labels.end(),
                      [](const label_syntax& l) { return l.kind == label_kind::tag && l.name == "abs"; });
}

std::vector<word> expression_parser::prefixes(const record_syntax& pattern) {
  std::vector<word> all;
  for (;;) {
    const offset place = in_.now().begin;
    if (in_.take_if("!", token_role::prefix)) {
      all.push_back({"!", place});
    } else if (in_.take_if("!!", token_role::prefix)) {
      all.insert(all.end(), 2, {"!", place});
    } else if (in_.is_word("abs") && is_prefix_abs(pattern)) {
      in_.take(token_role::plain);
      all.push_back({"abs", place});
    } else if (in_.is("-") && in_.ahead().kind != token_kind::number) {
      in_.take(token_role::prefix);
      all.push_back({"neg", place});
    } else {
      return all;
    }
  }
}

term expression_parser::prefixed(term inner, const std::vector<word>& prefixes) const {
  for (auto prefix = prefixes.rbegin(); prefix != prefixes.rend(); ++prefix) {
    term outer{prefix->text, prefix->place};
    if (prefix->text != "abs") outer.binds = term::prefixed;
    outer.operands.push_back(std::move(inner));
    inner = combined(std::move(outer));
  }
  return inner;
}

// A number or a tag.
term expression_parser::leaf() {
  const token first = in_.now();
  term made{"", first.begin};
  if (++operands_ > most_operands)
    token_reader::fail_at(first.begin,
                          "more than " + std::to_string(most_operands) + " operands of tag expressions in one text");
  if (in_.take_if("-", token_role::prefix)) {
    made.value = number(true);
    made.binds = term::prefixed;
    return made.value != 0 ? made : prefixed(made, {{"neg", first.begin}});  // -0 prints as it is written
  }
  if (first.kind == token_kind::number) {
    made.value = number(false);
    return made;
  }
  if (in_.take_if("#", token_role::prefix)) {
    made.variable =
        label_syntax{label_kind::binding_tag, in_.name("the name of a binding tag behind #").text, first.begin};
    return made;
  }
  if (!in_.is_name()) in_.fail("an operand: a tag, a number, or an expression in parentheses");
  in_.take();
  if (in_.is("("))
    token_reader::fail_at(first.begin,
                          "there is no function " + shown(in_.word_of(first)) + "; there are min, max and abs");
  made.variable = label_syntax{label_kind::tag, in_.word_of(first), first.begin};
  return made;
}

// 10, 0xa and 030, as in C.
std::int64_t expression_parser::number(bool negative) {
  const token t = in_.take();
  std::string_view digits = in_.word_of(t);
  std::uint64_t base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
    digits.remove_prefix(1);
  }
  const auto wrong = [&](const std::string& why) {
    token_reader::fail_at(t.begin, "'" + shown(in_.word_of(t), 30) + "' is no number: " + why);
  };
  if (digits.empty()) wrong("it has no digits");
  const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + negative;
  std::uint64_t value = 0;
  for (const char c : digits) {
    const char low = static_cast<char>(c | 0x20);
    const std::uint64_t digit = c >= '0' && c <= '9'       ? static_cast<std::uint64_t>(c - '0')
                                : low >= 'a' && low <= 'f' ? static_cast<std::uint64_t>(low - 'a' + 10)
                                                           : 16;
    if (digit >= base)
      wrong(std::string("'") + c + "' is no digit of " +
            (base == 8    ? "an octal number, as a leading 0 says"
             : base == 16 ? "a hexadecimal number"
                          : "one"));
    if (value > (most - digit) / base) wrong("it does not fit 64 bits");
    value = value * base + digit;
  }
  return static_cast<std::int64_t>(negative ? -value : value);
}

}  // namespace weir::detail::snet

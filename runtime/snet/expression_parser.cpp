#include <algorithm>
#include <array>
#include <limits>

#include "runtime/snet/network_parser.hpp"

// Tag expressions, those of C and `min`, `max`, `abs`.
namespace weir::detail::snet {
namespace {

struct infix {
  std::string_view sign;
  int binds;
};
constexpr int loosest = 1;
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

}  // namespace

// Whether an operand begins at this token, which stands behind a `>`. If none does, the `>` closes the tag or guard.
bool network_parser::begins_operand(const token& t) const {
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

int network_parser::binds_here() const {
  const std::string_view text = in_.word_now();
  const auto at = std::find_if(infixes.begin(), infixes.end(), [&](const infix& i) { return i.sign == text; });
  if (at == infixes.end() || in_.now().kind == token_kind::bad) return 0;
  const bool is_word = in_.is_name();
  if ((is_word || text == ">" || text == ">=") && !begins_operand(in_.ahead())) return 0;
  return at->binds;
}

term network_parser::combined(term made) {
  for (const term& t : made.operands) made.depth = std::max(made.depth, t.depth + 1);
  if (made.depth > deepest) too_deep(made.place);
  return made;
}

term network_parser::expression(int least) {
  const nested here(*this);
  term left = operand();
  for (;;) {
    if (least <= loosest && in_.is("?")) {
      term choice{"?", in_.take(token_role::operation).begin};
      choice.operands.push_back(std::move(left));
      choice.operands.push_back(expression(loosest));
      in_.expect(":", "of the ? before", token_role::operation);
      choice.operands.push_back(expression(loosest));
      return combined(std::move(choice));
    }
    const int binds = binds_here();
    if (binds == 0 || binds < least) return left;
    const token sign = in_.take(token_role::operation);
    term made{in_.word_of(sign), sign.begin};
    made.operands.push_back(std::move(left));
    made.operands.push_back(expression(binds + 1));
    left = combined(std::move(made));
  }
}

term network_parser::operand() {
  const nested here(*this);
  const token first = in_.now();
  const auto prefixed = [&](std::string_view operation) {
    term made{operation, first.begin};
    made.operands.push_back(operand());
    return combined(std::move(made));
  };
  if (in_.is("(")) {
    const opened from = in_.open("(", token_role::list_open);
    term inner = expression(loosest);
    in_.close(")", from, token_role::list_close);
    return inner;
  }
  if (in_.take_if("!", token_role::prefix)) return prefixed("!");
  if (in_.take_if("!!", token_role::prefix)) {
    term inner = prefixed("!");
    term made{"!", first.begin};
    made.operands.push_back(std::move(inner));
    return combined(std::move(made));
  }
  if (in_.take_if("-", token_role::prefix)) {
    if (in_.now().kind == token_kind::number) {
      term leaf{"", first.begin};
      leaf.value = number(true);
      if (leaf.value != 0) return leaf;
      term made{"neg", first.begin};  // -0, which prints as it is written
      made.operands.push_back(std::move(leaf));
      return made;
    }
    return prefixed("neg");
  }
  if (first.kind == token_kind::number) {
    term leaf{"", first.begin};
    leaf.value = number(false);
    return leaf;
  }
  if (in_.is("#")) {
    in_.take(token_role::prefix);
    term leaf{"", first.begin};
    leaf.variable =
        label_syntax{label_kind::binding_tag, in_.name("the name of a binding tag behind #").text, first.begin};
    return leaf;
  }
  if (!in_.is_name()) in_.fail("an operand: a tag, a number, or an expression in parentheses");
  return named_operand(first);
}

// A tag, or what `min`, `max` and `abs` begin where a call or a prefix can stand.
term network_parser::named_operand(const token& first) {
  const std::string_view name = in_.word_of(first);
  const bool is_pair = name == "min" || name == "max";
  const bool is_call = in_.is_ahead("(");
  const token next = in_.ahead();
  const bool is_minus = in_.word_of(next) == "-";  // `abs - n` is a difference, `abs -3` is 3
  if (name == "abs" && begins_operand(next) &&
      (!is_minus || lexer(in_.text().text()).at(next.end).kind == token_kind::number)) {
    in_.take(token_role::plain);
    term made{"abs", first.begin};
    made.operands.push_back(operand());
    return combined(std::move(made));
  }
  if (is_pair && is_call) {
    in_.take(token_role::plain);
    const opened from = in_.open("(", token_role::list_open);
    term made{name, first.begin};
    made.operands.push_back(expression(loosest));
    if (in_.is(")")) token_reader::fail_at(first.begin, std::string(name) + " takes two operands, got one");
    in_.expect(",", "between the two operands", token_role::separator);
    made.operands.push_back(expression(loosest));
    if (in_.is(",")) token_reader::fail_at(first.begin, std::string(name) + " takes two operands, got more");
    in_.close(")", from, token_role::list_close);
    return combined(std::move(made));
  }
  in_.take();
  if (in_.is("("))
    token_reader::fail_at(first.begin, "there is no function " + shown(name) + "; there are min, max and abs");
  term leaf{"", first.begin};
  leaf.variable = label_syntax{label_kind::tag, name, first.begin};
  return leaf;
}

// 10, 0xa and 030, as in C.
std::int64_t network_parser::number(bool negative) {
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

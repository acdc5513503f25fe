#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/runtime/patterns/expression_value.hpp"
#include "tests/support/sanitizers.hpp"

// Random expressions compared with two simple evaluators: one of their meaning, one of their printed text.
namespace weir {
namespace {

using namespace testing;

using tag_values = std::map<std::string, std::int64_t>;
struct no_value {};  // a division by zero

std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// One operation, computed by hand on magnitudes.
std::int64_t applied(const std::string& symbol, std::int64_t x, std::int64_t y) {
  const auto ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
  const std::uint64_t size_x = x < 0 ? -ux : ux, size_y = y < 0 ? -uy : uy;
  if (symbol == "+") return wrapped(ux + uy);
  if (symbol == "-") return wrapped(ux - uy);
  if (symbol == "*") return wrapped(ux * uy);
  if (symbol == "/" || symbol == "%") {
    if (y == 0) throw no_value{};
    if (symbol == "/") return wrapped((x < 0) == (y < 0) ? size_x / size_y : -(size_x / size_y));
    return wrapped(x < 0 ? -(size_x % size_y) : size_x % size_y);
  }
  if (symbol == "min") return x < y ? x : y;
  if (symbol == "max") return x < y ? y : x;
  if (symbol == "==") return x == y;
  if (symbol == "!=") return x != y;
  if (symbol == "<") return x < y;
  if (symbol == "<=") return x <= y;
  if (symbol == ">") return x > y;
  if (symbol == ">=") return x >= y;
  throw std::logic_error(symbol);
}

// An expression and its meaning.
struct meant {
  expression e;
  std::function<std::int64_t(const tag_values&)> value;
};

class random_expressions {
 public:
  explicit random_expressions(std::uint64_t seed) : engine_(seed) {}

  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }

  // Small numbers, which divide by zero and compare equal, and numbers at the limits.
  std::int64_t number() {
    constexpr std::array edges{least, least + 1, most, most - 1, std::int64_t{1} << 32, -(std::int64_t{1} << 31)};
    return below(4) ? below(7) - 3 : edges[static_cast<std::size_t>(below(static_cast<int>(edges.size())))];
  }

  meant number_of(int depth) {
    if (depth == 0 || below(5) == 0) return leaf();
    switch (below(8)) {
      case 0: {
        const meant x = number_of(depth - 1);
        return {-x.e, [x](const tag_values& v) { return applied("-", 0, x.value(v)); }};
      }
      case 1: {
        const meant x = number_of(depth - 1);
        return {abs(x.e), [x](const tag_values& v) {
                  const std::int64_t value = x.value(v);
                  return value < 0 ? applied("-", 0, value) : value;
                }};
      }
      case 2: {
        const meant g = condition_of(depth - 1), x = number_of(depth - 1), y = number_of(depth - 1);
        return chosen(g, x, y);
      }
      default:
        return operated({"+", "-", "*", "/", "%", "min", "max"}, depth);
    }
  }

  meant condition_of(int depth) {
    if (depth <= 1) return operated({"==", "!=", "<", "<=", ">", ">="}, 1);
    switch (below(8)) {
      case 0: {
        const meant x = condition_of(depth - 1);
        return {!x.e, [x](const tag_values& v) { return x.value(v) ? 0 : 1; }};
      }
      case 1:
      case 2: {
        const meant x = condition_of(depth - 1), y = condition_of(depth - 1);
        return {x.e && y.e, [x, y](const tag_values& v) { return x.value(v) ? y.value(v) : 0; }};
      }
      case 3:
      case 4: {
        const meant x = condition_of(depth - 1), y = condition_of(depth - 1);
        return {x.e || y.e, [x, y](const tag_values& v) { return x.value(v) ? 1 : y.value(v); }};
      }
      case 5: {
        const meant g = condition_of(depth - 1), x = condition_of(depth - 1), y = condition_of(depth - 1);
        return chosen(g, x, y);
      }
      default:
        return operated({"==", "!=", "<", "<=", ">", ">="}, depth);
    }
  }

 private:
  meant leaf() {
    switch (below(4)) {
      case 0:
        return {n, [](const tag_values& v) { return v.at("n"); }};
      case 1:
        return {k, [](const tag_values& v) { return v.at("k"); }};
      case 2:
        return {bk, [](const tag_values& v) { return v.at("#k"); }};
      default:
        const std::int64_t c = number();
        return {c, [c](const tag_values&) { return c; }};
    }
  }

  static meant chosen(const meant& g, const meant& x, const meant& y) {
    return {choose(g.e, x.e, y.e), [g, x, y](const tag_values& v) { return g.value(v) ? x.value(v) : y.value(v); }};
  }

  meant operated(const std::vector<std::string>& symbols, int depth) {
    const std::string symbol = symbols[static_cast<std::size_t>(below(static_cast<int>(symbols.size())))];
    const meant x = number_of(depth - 1), y = number_of(depth - 1);
    const std::map<std::string, std::function<expression()>> made{
        {"+", [&] { return x.e + y.e; }},      {"-", [&] { return x.e - y.e; }},
        {"*", [&] { return x.e * y.e; }},      {"/", [&] { return x.e / y.e; }},
        {"%", [&] { return x.e % y.e; }},      {"min", [&] { return min(x.e, y.e); }},
        {"==", [&] { return x.e == y.e; }},    {"!=", [&] { return x.e != y.e; }},
        {"<", [&] { return x.e < y.e; }},      {"<=", [&] { return x.e <= y.e; }},
        {">", [&] { return x.e > y.e; }},      {">=", [&] { return x.e >= y.e; }},
        {"max", [&] { return max(x.e, y.e); }}};
    return {made.at(symbol)(), [=](const tag_values& v) {
              const std::int64_t left = x.value(v);
              return applied(symbol, left, y.value(v));
            }};
  }

  std::mt19937_64 engine_;
};

// Evaluates the text of an expression by C's grammar.
class reader {
 public:
  reader(std::string_view text, const tag_values& v) : rest_(text), values_(v) {}

  std::int64_t whole() {
    const std::int64_t value = choice(true);
    if (!rest_.empty()) throw std::logic_error("left over: " + std::string(rest_));
    return value;
  }

 private:
  // Parts that are not `live` are parsed, not computed.
  std::int64_t choice(bool live) {
    const std::int64_t guard = binary(0, live);
    if (!skip("?")) return guard;
    const std::int64_t x = choice(live && guard);
    if (!skip(":")) throw std::logic_error("no ':' before " + std::string(rest_));
    const std::int64_t y = choice(live && !guard);
    return guard ? x : y;
  }

  std::int64_t binary(std::size_t level, bool live) {
    static const std::vector<std::vector<std::string>> levels{
        {"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};
    if (level == levels.size()) return unary(live);
    std::int64_t x = binary(level + 1, live);
    for (;;) {
      const auto symbol =
          std::find_if(levels[level].begin(), levels[level].end(), [&](const std::string& s) { return skip(s); });
      if (symbol == levels[level].end()) return x;
      if (*symbol == "||")
        x = binary(level + 1, live && !x) || x;
      else if (*symbol == "&&")
        x = binary(level + 1, live && x) && x;
      else if (const std::int64_t y = binary(level + 1, live); live)
        x = applied(*symbol, x, y);
    }
  }

  std::int64_t unary(bool live) {
    if (skip("-")) return applied("-", 0, unary(live));
    if (skip("!")) return !unary(live);
    if (skip("(")) return closed(choice(live));
    if (skip("abs(")) {
      const std::int64_t x = closed(choice(live));
      return x < 0 ? applied("-", 0, x) : x;
    }
    for (const char* name : {"min", "max"}) {
      if (!skip(std::string(name) + "(")) continue;
      const std::int64_t x = choice(live);
      if (!skip(",")) throw std::logic_error("no ',' before " + std::string(rest_));
      return applied(name, x, closed(choice(live)));
    }
    for (const auto& [name, value] : values_)
      if (skip(name)) return value;
    std::uint64_t number = 0;
    const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (digits == 0) throw std::logic_error("no operand at " + std::string(rest_));
    for (const char c : rest_.substr(0, digits)) number = number * 10 + static_cast<std::uint64_t>(c - '0');
    rest_.remove_prefix(digits);
    return wrapped(number);
  }

  std::int64_t closed(std::int64_t value) {
    if (!skip(")")) throw std::logic_error("no ')' before " + std::string(rest_));
    return value;
  }

  bool skip(std::string_view symbol) {
    if (!rest_.starts_with(symbol)) return false;
    rest_.remove_prefix(symbol.size());
    return true;
  }

  std::string_view rest_;
  const tag_values& values_;
};

std::optional<std::int64_t> with_value(const std::function<std::int64_t()>& f) {
  try {
    return f();
  } catch (const no_value&) {
    return std::nullopt;
  }
}

TEST(an_expression, means_what_was_written_and_prints_what_it_means) {
  int without_value = 0;
  for (std::uint64_t seed = 1; seed <= fewer(3000); ++seed) {
    random_expressions random(seed);
    const meant m = random.below(2) ? random.number_of(5) : random.condition_of(5);
    const std::string text = to_string(m.e);
    for (int i = 0; i < 4; ++i) {
      const tag_values v{{"n", random.number()}, {"k", random.number()}, {"#k", random.number()}};
      const auto got = value(m.e, v.at("n"), v.at("k"), v.at("#k"));
      without_value += !got;
      ASSERT_EQ(got, with_value([&] { return m.value(v); })) << "seed " << seed << ": " << text;
      ASSERT_EQ(got, with_value([&] { return reader(text, v).whole(); })) << "seed " << seed << ": " << text;
    }
  }
  EXPECT_GT(without_value, fewer(100)) << "division by zero must be among the cases";
}

}  // namespace
}  // namespace weir

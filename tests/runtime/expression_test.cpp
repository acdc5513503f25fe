#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/program.hpp"
#include "tests/runtime/labels.hpp"

// Both namespaces opened, as many programs do.
namespace as_users_write {

using namespace std;
using namespace weir;
using weir::testing::bk, weir::testing::k, weir::testing::n;

string both_open() {
  string text;
  for (const expression& e :
       {min(n, k), max(n, k), min(n, n), max(bk, bk), min(n, 3), max(3, n), min(n, bk), min(n + 1, k),
        max(n + 1, k + 1), abs(n), abs(n - k), choose(n < k, n, k), choose(n < k, 1, 2)})
    text += to_string(e) + " ";
  return text + to_string(min(2, 3)) + " " + to_string(max(2, 3)) + " " + to_string(abs(-2));
}

}  // namespace as_users_write

namespace weir {
namespace {

using namespace testing;

constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();

// The value for <n>, <k> and <#k>; none: a division by zero.
std::optional<std::int64_t> value(const expression& e, std::int64_t for_n = 0, std::int64_t for_k = 0,
                                  std::int64_t for_bk = 0) {
  const std::array variables{n.info(), k.info(), bk.info()};
  const std::array values{for_n, for_k, for_bk};
  try {
    return detail::compile(e, variables)(values.data());
  } catch (const detail::division_by_zero&) {
    return std::nullopt;
  }
}

std::string refusal(const std::function<void()>& make) {
  try {
    make();
  } catch (const type_error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(an_expression, prints_in_s_net_notation_with_the_parentheses_it_needs) {
  EXPECT_EQ(to_string(expression(7)), "7");
  EXPECT_EQ(to_string(n % 2 == 0), "n%2==0");
  EXPECT_EQ(to_string(3 * n + 1), "3*n+1");
  EXPECT_EQ(to_string((n + 1) * k), "(n+1)*k");
  EXPECT_EQ(to_string(n - (k - 1)), "n-(k-1)");
  EXPECT_EQ(to_string(n - k - 1), "n-k-1");
  EXPECT_EQ(to_string(n / (k % 2)), "n/(k%2)");
  EXPECT_EQ(to_string(-(n + 1) * -k), "-(n+1)*-k");
  EXPECT_EQ(to_string(n - -k), "n-(-k)");
  EXPECT_EQ(to_string(n - expression(-1) * k), "n-(-1)*k");
  EXPECT_EQ(to_string(-(-n)), "-(-n)");
  EXPECT_EQ(to_string(expression(least)), "-9223372036854775808");
  EXPECT_EQ(to_string(n == k && !(n > 1) && k < 2), "n==k&&!(n>1)&&k<2");
  EXPECT_EQ(to_string((n != 1 || k >= 1) && n <= 2), "(n!=1||k>=1)&&n<=2");
  EXPECT_EQ(to_string(choose(n < 0, -n, n)), "n<0?-n:n");
  EXPECT_EQ(to_string(choose(n < 0, 1, choose(k < 0, 2, 3)) + 1), "(n<0?1:k<0?2:3)+1");
  EXPECT_EQ(to_string(min(n, k) + max(n + 1, 2) - abs(-n)), "min(n,k)+max(n+1,2)-abs(-n)");
  EXPECT_EQ(to_string(bk + k), "#k+k");
}

TEST(an_expression, is_made_by_min_max_and_abs_with_namespace_std_open_as_well) {
  EXPECT_EQ(as_users_write::both_open(),
            "min(n,k) max(n,k) min(n,n) max(#k,#k) min(n,3) max(3,n) min(n,#k) min(n+1,k) max(n+1,k+1) abs(n) abs(n-k) "
            "n<k?n:k n<k?1:2 2 3 2");
}

TEST(an_expression, names_each_of_its_tags_once_from_left_to_right) {
  EXPECT_TRUE(expression(1).tags().empty());
  EXPECT_EQ((k + n * k - bk).tags(), (std::vector{k.info(), n.info(), bk.info()}));
  EXPECT_EQ(choose(n > 1, k, n).tags(), (std::vector{n.info(), k.info()}));
}

TEST(an_expression, is_a_condition_when_a_comparison_made_it) {
  for (const expression& e :
       {n == k, n != 1, n<1, n <= 1, n> 1, n >= 1, n < 1 && k < 1, n < 1 || k < 1, !(n < 1), choose(n < 1, k<1, k> 1)})
    EXPECT_TRUE(e.is_condition()) << to_string(e);
  for (const expression& e : {expression(1), expression(n), n + 1, -n, abs(n), min(n, k), choose(n < 1, 1, 2)})
    EXPECT_FALSE(e.is_condition()) << to_string(e);
}

TEST(an_expression, refuses_a_number_for_a_condition_and_the_other_way_round_naming_both) {
  EXPECT_EQ(refusal([] { choose(n + 1, 1, 2); }),
            "a guard that is no condition: n+1 in n+1?1:2\n"
            "  expected a comparison, or what &&, || and ! make of comparisons");
  EXPECT_EQ(refusal([] { (void)(n + 1 && k < 2); }),
            "an operand that is no condition: n+1 in n+1&&k<2\n"
            "  && takes comparisons, or what &&, || and ! make of comparisons");
  EXPECT_EQ(refusal([] { (void)(n < 1 || k); }),
            "an operand that is no condition: k in n<1||k\n"
            "  || takes comparisons, or what &&, || and ! make of comparisons");
  EXPECT_EQ(refusal([] { (void)!n; }),
            "an operand that is no condition: n in !n\n"
            "  ! takes comparisons, or what &&, || and ! make of comparisons");
  EXPECT_EQ(refusal([] { (void)((n < 1) + 1); }),
            "a condition where a number is needed: n<1 in (n<1)+1\n"
            "  + takes numbers; choose(condition, 1, 0) makes one of a condition");
  EXPECT_THROW((void)((n < 1) == (k < 1)), type_error);
  EXPECT_THROW((void)-(n < 1), type_error);
  EXPECT_THROW((void)min(n < 1, 1), type_error);
  EXPECT_THROW((void)abs(n < 1), type_error);
  EXPECT_EQ(refusal([] { choose(n < 1, 1, k < 2); }),
            "a choice between a condition and a number: 1 and k<2 in n<1?1:k<2");
}

TEST(an_expression, wraps_around_and_truncates_and_traps_nowhere) {
  EXPECT_EQ(value(n + 1, most), least);
  EXPECT_EQ(value(n - 1, least), most);
  EXPECT_EQ(value(n * 2, most), -2);
  EXPECT_EQ(value(n * n, least), 0);
  EXPECT_EQ(value(-n, least), least);
  EXPECT_EQ(value(abs(n), least), least);
  EXPECT_EQ(value(n / k, least, -1), least);
  EXPECT_EQ(value(n % k, least, -1), 0);
  EXPECT_EQ(value(n / k, -7, 2), -3);
  EXPECT_EQ(value(n % k, -7, 2), -1);
  EXPECT_EQ(value(n / k, 7, -2), -3);
  EXPECT_EQ(value(n % k, 7, -2), 1);
}

TEST(an_expression, that_divides_by_zero_has_no_value) {
  EXPECT_EQ(value(n / k, 1, 0), std::nullopt);
  EXPECT_EQ(value(n % k, 1, 0), std::nullopt);
  EXPECT_EQ(value(0 * (n / k), 1, 0), std::nullopt);
}

TEST(an_expression, does_not_evaluate_what_is_decided_already) {
  EXPECT_EQ(value(k != 0 && n / k > 1, 4, 0), 0);
  EXPECT_EQ(value(k != 0 && n / k > 1, 4, 2), 1);
  EXPECT_EQ(value(k == 0 || n / k > 1, 4, 0), 1);
  EXPECT_EQ(value(k == 0 || n / k > 1, 1, 1), 0);
  EXPECT_EQ(value(choose(k != 0, n / k, -1), 4, 0), -1);
  EXPECT_EQ(value(choose(k == 0, -1, n / k), 4, 0), -1);
  EXPECT_EQ(value(choose(k == 0, n / k, -1), 4, 0), std::nullopt);
}

TEST(an_expression, tells_a_tag_from_the_binding_tag_of_the_same_name) { EXPECT_EQ(value(10 * k + bk, 0, 3, 4), 34); }

TEST(an_expression, counts_as_one_or_zero_when_it_is_a_condition) {
  EXPECT_EQ(value(n < 1, 0), 1);
  EXPECT_EQ(value(!(n < 1), 0), 0);
  EXPECT_EQ(value(n < 1 || k < 1, 1, 1), 0);
}

TEST(an_expression, that_doubles_itself_is_refused_before_it_fills_the_memory) {
  const std::string text = refusal([] {
    expression e = n;
    for (int i = 0; i < 64; ++i) e = e + e;
  });
  EXPECT_EQ(text, "an expression of 1048575 operations, expected at most 1000000");
}

// ---- depth ----

// Runs f in a thread whose stack is small: what calls itself once for each level of an expression ends there.
void on_a_small_stack(std::function<void()> f) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{1} << 20), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* call) -> void* {
                  (*static_cast<std::function<void()>*>(call))();
                  return nullptr;
                },
                &f),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(an_expression, may_be_as_deep_as_a_loop_makes_it) {
  constexpr int levels = 100'000;
  on_a_small_stack([] {
    const auto built = [](expression e, const std::function<expression(const expression&)>& one_more, int times) {
      for (int i = 0; i < times; ++i) e = one_more(e);
      EXPECT_GT(to_string(e).size(), static_cast<std::size_t>(times));
      EXPECT_LE(e.tags().size(), 2u);
      return value(e, 3, 5);
    };
    EXPECT_EQ(built(
                  n, [](const expression& e) { return e + k; }, levels),
              3 + 5 * levels);
    EXPECT_EQ(built(
                  n, [](const expression& e) { return 1 - e; }, levels),
              3);
    EXPECT_EQ(built(
                  n, [](const expression& e) { return -e; }, levels),
              3);
    EXPECT_EQ(built(
                  n + 1, [](const expression& e) { return (n - 2) * e; }, levels),
              4);
    EXPECT_EQ(built(
                  n + 1, [](const expression& e) { return e / (n - 2); }, levels),
              4);
    EXPECT_EQ(built(
                  n > 1, [](const expression& e) { return k > 1 && e; }, levels),
              1);
    EXPECT_EQ(built(
                  n > 9, [](const expression& e) { return e || k > 9; }, levels),
              0);
    EXPECT_EQ(built(
                  n, [](const expression& e) { return choose(n > 1, e, 0); }, levels),
              3);
    EXPECT_EQ(built(
                  n > 1, [](const expression& e) { return choose(e, n > 1, n > 9); }, levels),
              1);
  });
}

// ---- random expressions against two simple evaluators ----

using tag_values = std::map<std::string, std::int64_t>;
struct no_value {};  // a division by zero

std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// One operation, done by hand on magnitudes.
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

// An expression, and what it means.
struct meant {
  expression e;
  std::function<std::int64_t(const tag_values&)> value;
};

class random_expressions {
 public:
  explicit random_expressions(std::uint64_t seed) : engine_(seed) {}

  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }

  // Small numbers, that divide by zero and compare equal, and those at the edges.
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
  // What is not `live` is read, not computed.
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
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
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
  EXPECT_GT(without_value, 100) << "division by zero must be among the cases";
}

TEST(an_expression, is_compiled_only_for_records_that_have_all_its_tags) {
  const std::array variables{n.info()};
  try {
    detail::compile(n + k, variables);
    ADD_FAILURE() << "compiled";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "an expression names <k>, which is not among its variables");
  }
}

TEST(an_expression, may_be_used_copied_and_let_go_by_many_threads_at_once) {
  expression shared = n;
  for (int i = 0; i < 1000; ++i) shared = shared + k * i;
  const std::array variables{n.info(), k.info()};
  const detail::program compiled = detail::compile(shared, variables);
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < 4; ++i)
    threads.emplace_back([&compiled, i, mine = shared]() mutable {
      for (std::int64_t j = 0; j < 200; ++j) {
        const std::array values{i, j};
        ASSERT_EQ(compiled(values.data()), i + j * 499'500);
        const expression longer = mine + 1;
        ASSERT_EQ(longer.tags().size(), 2u);
      }
      mine = 0;
    });
  shared = 0;
  for (std::thread& one : threads) one.join();
}

}  // namespace
}  // namespace weir

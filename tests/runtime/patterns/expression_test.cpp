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

#include "tests/runtime/patterns/expression_value.hpp"
#include "tests/support/sanitizers.hpp"

// Opens both namespaces, as many programs do.
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

TEST(an_expression, refuses_a_number_where_a_condition_is_needed_naming_both) {
  EXPECT_EQ(refusal([] { choose(n + 1, 1, 2); }),
            "no condition in front of ?: n+1 in n+1?1:2\n"
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
  EXPECT_EQ(refusal([] { (void)(choose(n < 1, k < 2, 1) && k < 2); }),
            "an operand that is no condition: n<1?k<2:1 in (n<1?k<2:1)&&k<2\n"
            "  && takes comparisons, or what &&, || and ! make of comparisons");
}

TEST(an_expression, takes_a_condition_for_a_number_as_one_or_zero) {
  EXPECT_EQ(value((n < 1) + 1, 0), 2);
  EXPECT_EQ(value((n < 1) + 1, 1), 1);
  EXPECT_EQ(value((n < 1) == (n < 3), 2), 0);
  EXPECT_EQ(value(-(n < 1), 0), -1);
  EXPECT_EQ(value(min(n < 1, 1) + abs(n < 2) * 10, 1), 10);
  EXPECT_EQ(value(choose(n < 1, 7, n < 2), 1), 1);
  EXPECT_EQ(value((n < 1 || n > 5) * 3 - (n > 5 && n < 9), 7), 2);
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
  EXPECT_EQ(text, "an expression of 131071 operations, expected at most 100000");
}

// ---- depth ----

// Runs f in a thread with a small stack, which a recursion through each level of an expression must not overflow.
// AddressSanitizer's frames are several times as large.
void on_a_small_stack(std::function<void()> f) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{sanitized ? 8 : 1} << 20), 0);
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

TEST(an_expression, may_be_a_thousand_operations_deep_and_no_deeper) {
  constexpr int levels = 998;  // and two before
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
    expression deepest = n;
    for (int i = 1; i < 1000; ++i) deepest = 1 - deepest;
    EXPECT_EQ(value(deepest, 3, 5), -2);
    EXPECT_EQ(refusal([&] { (void)-deepest; }),
              "an expression of 1001 operations inside each other, expected at most 1000");
  });
}

TEST(an_expression, may_be_a_row_as_long_as_it_is_large) {
  constexpr int longest = sanitized ? 20'000 : 100'000;  // each call per term would overflow the stack in both
  on_a_small_stack([] {
    const auto built = [](expression e, int terms, const std::function<expression(const expression&)>& one_more) {
      for (int i = 1; i < terms; ++i) e = one_more(e);
      EXPECT_EQ(e.tags().size(), 2u);
      EXPECT_GE(to_string(e).size(), static_cast<std::size_t>(2 * terms - 1));
      EXPECT_EQ(to_string(e).find('('), std::string::npos);
      return value(e, 3, 5);
    };
    EXPECT_EQ(built(n, longest, [](const expression& e) { return e + k; }), 3 + 5 * (longest - 1));
    EXPECT_EQ(built(n, longest, [](const expression& e) { return e == k; }), 0);
    EXPECT_EQ(built(n > k, longest / 2, [](const expression& e) { return e || n > 3; }), 0);
    expression odd = n;
    for (int i = 1; i < longest / 2; ++i) odd = choose(k == i + 5, i, odd);
    EXPECT_EQ(value(odd, 3, 7), 2);
    EXPECT_EQ(value(odd, 3, 5), 3);
    EXPECT_EQ(to_string(odd).find('('), std::string::npos);
  });
}

TEST(an_expression, counts_what_needs_parentheses_as_inside_also_in_front) {
  expression e = n;
  for (int i = 1; i < 1000; ++i) e = i % 2 ? e + 1 : e * 2;
  EXPECT_EQ(refusal([&] {
              for (int i = 0; i < 1002; ++i) e = i % 2 ? e + 1 : e * 2;
            }),
            "an expression of 1001 operations inside each other, expected at most 1000");
}

TEST(an_expression, is_compiled_only_for_records_that_have_all_its_tags) {
  const std::array variables{n.info()};
  EXPECT_EQ(refusal<std::invalid_argument>([&] { detail::compile(n + k, variables); }),
            "an expression names <k>, which is not among its variables");
}

TEST(an_expression, may_be_used_copied_and_let_go_by_many_threads_at_once) {
  expression shared = n;
  for (int i = 0; i < 900; ++i) shared = shared + k * i;
  const std::array variables{n.info(), k.info()};
  const detail::program compiled = detail::compile(shared, variables);
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < 4; ++i)
    threads.emplace_back([&compiled, i, mine = shared]() mutable {
      for (std::int64_t j = 0; j < 200; ++j) {
        const std::array values{i, j};
        ASSERT_EQ(compiled(values.data()), i + j * 404'550);
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

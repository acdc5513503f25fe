#include "runtime/patterns/pattern_matcher.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/language/labels.hpp"

namespace weir {
namespace {

using namespace testing;

// A record whose body the test can inspect.
class body {
 public:
  explicit body(record r) : body_(std::move(r).release()) {}
  ~body() { detail::drop_body(body_); }
  body(const body&) = delete;
  body& operator=(const body&) = delete;
  const detail::record_body& operator*() const { return *body_; }

 private:
  detail::record_body* body_;
};

bool matches(const pattern& p, const record& r) { return detail::pattern_matcher(p).matches(*body(r)); }
bool fits(const pattern& p, const record& r) { return detail::pattern_matcher(p).fits(r.shape()); }

TEST(a_pattern, prints_its_labels_and_its_guard) {
  EXPECT_EQ(to_string(pattern{}), "{}");
  EXPECT_EQ(to_string(pattern{n, s, a, bk}), "{a, s, <n>, <#k>}");
  EXPECT_EQ(to_string(pattern{n}.where(n == 1)), "{<n>} if <n==1>");
  EXPECT_EQ(to_string(pattern{a} | pattern{n}.where(n == 1) | pattern{}), "{a}, {<n>} if <n==1>, {}");
}

TEST(a_pattern, is_written_as_its_labels_in_braces) {
  const auto text = [](const pattern& p) { return to_string(p); };
  const auto text_of_list = [](const pattern_list& list) { return to_string(list); };
  EXPECT_EQ(text({a, n}), "{a, <n>}");
  EXPECT_EQ(text({}), "{}");
  EXPECT_EQ(text_of_list({a, n}), "{a, <n>}");
  EXPECT_EQ(text_of_list(pattern{a}), "{a}");
  EXPECT_EQ(text_of_list({}), "{}");
}

TEST(a_pattern, matches_records_that_have_its_labels_and_maybe_more) {
  EXPECT_TRUE(matches({}, record()));
  EXPECT_TRUE(matches({}, record{a = 1, n = 2}));
  EXPECT_TRUE(matches({a, n}, record{n = 2, a = 1}));
  EXPECT_TRUE(matches({a, n}, record{n = 2, a = 1, b = 3, k = 4}));
  EXPECT_FALSE(matches({a, n}, record{n = 2}));
  EXPECT_FALSE(matches({a, n}, record{a = 2}));
  EXPECT_FALSE(matches({a}, record()));
}

TEST(a_pattern, matches_only_records_that_have_exactly_its_binding_tags) {
  constexpr btag other{"other"};
  EXPECT_TRUE(matches({bk}, record{bk = 1}));
  EXPECT_TRUE(matches({bk}, record{bk = 1, a = 2}));
  EXPECT_FALSE(matches({}, record{bk = 1}));
  EXPECT_FALSE(matches({bk}, record{a = 2}));
  EXPECT_FALSE(matches({bk}, record{bk = 1, other = 2}));
  EXPECT_FALSE(matches({bk}, record{k = 1})) << "a tag is not the binding tag of its name";
  EXPECT_FALSE(matches({k}, record{bk = 1}));
}

TEST(a_pattern, does_not_match_a_field_of_another_type) {
  constexpr field<double> as_double{"a"};
  EXPECT_FALSE(matches({a}, record{as_double = 1.0}));
  EXPECT_EQ(detail::mismatch(pattern{a}.labels().labels(), record{as_double = 1.0}.shape()),
            "it takes field 'a' as int, the record has it as double");
  EXPECT_EQ(detail::mismatch(pattern{a}.labels().labels(), record{n = 1}.shape()),
            "it takes a, which the record does not have");
  EXPECT_EQ(detail::mismatch(pattern{a}.labels().labels(), record{a = 1, bk = 1}.shape()),
            "the record has the binding tag <#k>, which it does not take");
}

TEST(a_pattern, with_a_guard_matches_where_it_holds) {
  const pattern p = pattern{n}.where(n >= 3);
  EXPECT_TRUE(matches(p, record{n = 3}));
  EXPECT_TRUE(matches(p, record{s = "text", a = 1, n = 4, k = 0})) << "wherever the tag is in the record";
  EXPECT_FALSE(matches(p, record{n = 2, k = 5}));
  EXPECT_FALSE(matches(p, record{k = 5}));
  EXPECT_TRUE(fits(p, record{n = 2})) << "the guard aside";
  EXPECT_FALSE(fits(p, record{k = 2}));
  EXPECT_THROW((void)matches(pattern{n, k}.where(n / k == 0), record{n = 1, k = 0}), detail::division_by_zero);
}

TEST(a_pattern, with_two_guards_matches_where_both_hold_and_leaves_the_first_as_it_was) {
  const pattern once = pattern{n}.where(n >= 3 || n == 0);
  const pattern twice = once.where(n < 5);
  EXPECT_EQ(to_string(twice), "{<n>} if <(n>=3||n==0)&&n<5>");
  EXPECT_EQ(to_string(once), "{<n>} if <n>=3||n==0>");
  EXPECT_TRUE(matches(twice, record{n = 4}));
  EXPECT_FALSE(matches(twice, record{n = 5}));
  EXPECT_TRUE(matches(once, record{n = 5}));
}

TEST(a_pattern, refuses_a_guard_that_can_never_work_saying_why) {
  EXPECT_EQ(refusal([] {
              pattern{a, n}.where(n + 1);
            }),
            "pattern {a, <n>} if <n+1>: a guard that is no condition: n+1\n"
            "  expected a comparison, or what &&, || and ! make of comparisons");
  EXPECT_EQ(refusal([] {
              pattern{a, n}.where(n < 1 || bk > 1);
            }),
            "pattern {a, <n>} if <n<1||#k>1>: the guard n<1||#k>1 names <#k>, which is not in the pattern");
  EXPECT_THROW((pattern{n, n}), type_error);
  EXPECT_THROW((pattern{a, field<double>{"a"}}), type_error);
}

TEST(a_pattern, is_matched_by_many_threads_that_meet_many_shapes_for_the_first_time) {
  // More shapes than the matcher has lists for; half of them match.
  std::vector<record> records;
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("extra" + std::to_string(i));
  for (const std::string& name : names) {
    records.push_back(record{n = 1, tag{name} = 7});
    records.push_back(record{n = 2, tag{name} = 7, a = 1});
  }
  const detail::pattern_matcher matcher(pattern{n, a}.where(n == 2));
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 4; ++first)
    threads.emplace_back([&matcher, first, mine = records] {
      for (int round = 0; round < 3; ++round)
        for (std::size_t i = 0; i < mine.size(); ++i) {
          const std::size_t at = (i + 50 * first) % mine.size();
          ASSERT_EQ(matcher.matches(*body(mine[at])), at % 2 == 1) << to_string(mine[at]);
        }
    });
  for (std::thread& one : threads) one.join();
}

}  // namespace
}  // namespace weir

#include <gtest/gtest.h>

#include "tests/runtime/language/labels.hpp"

// The types, names and drawings of folds and of splits whose branches end; nothing runs here.
namespace weir {
namespace {

using namespace testing;

network a_fold_of(const std::string& name) {
  return fold(
      name, takes(n, a), gives(n) | gives(k, b), 0, [](int&, std::int64_t, const int&) {}, [](int&, emitter&) {});
}

TEST(the_type_of_a_fold, inherits_nothing) {
  EXPECT_EQ(to_string(a_fold_of("f").signature()), "{a, <n>} -> {<n>} | {b, <k>}");
  const network behind = typed("g", takes(x), gives(n)) >> a_fold_of("f");
  EXPECT_EQ(to_string(behind.signature()), "{a, <x>} -> {<n>} | {b, <k>}");
  // The network in front may still demand labels of the input.
  EXPECT_EQ(to_string((typed("g", takes(t), gives(n)) >> a_fold_of("f")).signature()), "{a, <t>} -> {<n>} | {b, <k>}");
}

TEST(the_type_of_a_fold, refuses_what_needs_more_than_it_gives) {
  const network one = fold("f", takes(n), gives(n), 0, [](int&, std::int64_t) {});
  EXPECT_EQ(refusal([&] { one >> typed("g", takes(n, y), gives(n)); }),
            "f >> g: g needs <y>, and what a fold gives inherits nothing\n  f gives {<n>}\n  g takes {<n>, <y>}");
  EXPECT_EQ(refusal([&] { one >> typed("h", takes(n), gives(x)) >> typed("g", takes(y), gives(n)); }),
            "h >> g: g needs <y>, and what a fold gives inherits nothing\n  h gives {<x>}\n  g takes {<y>}");
}

// In a star, its results have to leave or to be taken again.
TEST(the_type_of_a_fold, is_followed_round_a_star) {
  const network halves = fold("f", takes(n), gives(n), 0, [](int&, std::int64_t) {});
  EXPECT_EQ(to_string(star(halves, pattern{n}.where(n < 3)).signature()), "{<n>} -> {<n>}");
}

TEST(the_notation_of_a_split, names_what_ends_a_branch) {
  const network sessions = split(a_fold_of("f"), k).until(pattern{n}.where(n == 0) | pattern{t});
  EXPECT_EQ(to_string(sessions), "f!<k> until {<n>} if <n==0>, {<t>}");
  EXPECT_EQ(to_string(ordered(sessions)), "f!!<k> until {<n>} if <n==0>, {<t>}");
  EXPECT_EQ(to_string(sessions.signature()), to_string(split(a_fold_of("f"), k).signature()));
  EXPECT_NE(sessions.dot().find("label=\"! <k> until {<n>} if <n==0>, {<t>}\""), std::string::npos) << sessions.dot();
}

TEST(a_fold_of_one_name, is_one_fold) {
  const network one = fold("f", takes(n), gives(n), 0, [](int&, std::int64_t) {});
  const network other = fold("f", takes(n), gives(n), 0, [](int&, std::int64_t) {});
  EXPECT_NO_THROW(start(one >> one));
  EXPECT_EQ(refusal([&] { start(one >> other); }),
            "two different boxes are named 'f', at :S1 and at :S2; boxes of one name share one model, so they must be "
            "the same box");
  // A field of one name has one type, in what ends a branch as well.
  EXPECT_EQ(refusal([&] { start(split(one, k).until(pattern{field<double>{"a"}}) | a_fold_of("g")); }).substr(0, 42),
            "field 'a' has two types in one network: do");
}

}  // namespace
}  // namespace weir

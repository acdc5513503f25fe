#include "runtime/remote/greeting.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include <weir/record/errors.hpp>
#include "tests/support/refusal.hpp"

namespace weir::detail::remote {
namespace {

using greetings = std::vector<std::optional<greeting>>;

greeting with(const window_limits& limits) { return {"1.0", "a\nb\n", limits}; }

TEST(ranks_that_greet, get_what_was_sent) {
  const greeting sent = with({.records = 7, .bytes = 1 << 20, .reassigns = true, .cores = 48});
  const std::optional<greeting> got = greeting_of(texts_of(sent));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->version, sent.version);
  EXPECT_EQ(got->network, sent.network);
  EXPECT_EQ(got->limits.records, 7u);
  EXPECT_EQ(got->limits.bytes, std::size_t{1} << 20);
  EXPECT_TRUE(got->limits.reassigns);
  EXPECT_EQ(got->limits.cores, 48);
}

TEST(ranks_that_greet, take_no_other_texts_for_a_greeting) {
  const std::vector<std::string> right = texts_of(with({}));
  EXPECT_FALSE(greeting_of({}));
  EXPECT_FALSE(greeting_of({right.begin(), right.begin() + 3}));
  for (std::size_t i = 2; i < right.size(); ++i)
    for (const char* wrong : {"", "x", "1x", "99999999999999999999999", "-"}) {
      std::vector<std::string> texts = right;
      texts[i] = wrong;
      EXPECT_FALSE(greeting_of(texts)) << i << " " << wrong;
    }
}

TEST(ranks_that_greet, agree_on_the_least_window_whatever_their_order) {
  const greetings all{with({.records = 512, .bytes = 100, .cores = 1}), with({.records = 20, .bytes = 300, .cores = 2}),
                      with({.records = 1000, .bytes = 200, .cores = 3})};
  for (int self = 0; self < 3; ++self) {
    const window_limits limits = agreed(all, self);
    EXPECT_EQ(limits.records, 20u);
    EXPECT_EQ(limits.bytes, 100u);
    EXPECT_EQ(limits.cores, self + 1) << "that is its own";
  }
}

// The message of agreed() at a rank.
template <class Error>
std::string refusal(const greetings& all, int self) {
  return weir::testing::refusal<Error>([&] { agreed(all, self); });
}

TEST(ranks_that_greet, refuse_at_each_rank_what_must_be_the_same) {
  const greetings all{with({}), with({.reassigns = true}), with({})};
  const std::string of_0_and_1 =
      "option on_failure is stop at rank 0 and reassign at rank 1; it must be the same on all ranks";
  EXPECT_EQ(refusal<std::invalid_argument>(all, 0), of_0_and_1);
  EXPECT_EQ(refusal<std::invalid_argument>(all, 1), of_0_and_1);
  EXPECT_EQ(refusal<std::invalid_argument>(all, 2),
            "option on_failure is reassign at rank 1 and stop at rank 2; it must be the same on all ranks");
}

TEST(ranks_that_greet, name_both_versions_and_both_networks) {
  greeting old = with({}), other = with({});
  old.version = "0.9";
  other.network = "a\nc\n";
  for (int self = 0; self < 2; ++self) {
    EXPECT_EQ(refusal<type_error>({with({}), old}, self),
              "rank 0 and rank 1 run different versions of weir: 1.0 and 0.9");
    EXPECT_EQ(refusal<type_error>({with({}), other}, self), "rank 0 and rank 1 run different networks: `b` and `c`");
  }
  EXPECT_EQ(refusal<type_error>({with({}), std::nullopt}, 0), "rank 0 and rank 1 run different versions of weir");
}

}  // namespace
}  // namespace weir::detail::remote

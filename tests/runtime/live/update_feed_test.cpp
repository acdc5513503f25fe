#include "runtime/live/update_feed.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <utility>

#include "tests/support/eventually.hpp"

namespace weir {
namespace {

using namespace testing;
using namespace std::chrono_literals;

TEST(a_feed, makes_a_text_only_while_somebody_listens_and_one_for_all) {
  std::atomic<int> made{0};
  detail::update_feed feed(
      "a feed", [&] { return std::to_string(++made); }, 1ms, 2);
  EXPECT_EQ(made, 0);
  {
    const auto one = feed.listen(), other = feed.listen();
    ASSERT_TRUE(one && other);
    EXPECT_FALSE(feed.listen());
    const auto text = one->next(20s);
    EXPECT_TRUE(eventually([&] { return made >= 5; }));
    EXPECT_NE(*one->next(20s), *text);
    EXPECT_GE(std::stoi(*other->next(20s)), 5 - 1) << "who is slow misses some";
  }
  EXPECT_TRUE(eventually([&, last = -1]() mutable { return std::exchange(last, made.load()) == made.load(); }));
  const int then = made;
  EXPECT_TRUE(feed.listen()) << "there is room again";
  EXPECT_GE(made, then);
  feed.stop();
  EXPECT_FALSE(feed.listen());
}

TEST(a_feed, goes_on_when_a_text_could_not_be_made) {
  std::atomic<int> asked{0};
  detail::update_feed feed(
      "a feed",
      [&]() -> std::string {
        if (++asked < 3) throw std::bad_alloc();
        return "text";
      },
      1ms, 1);
  EXPECT_EQ(*feed.listen()->next(20s), "text");
}

}  // namespace
}  // namespace weir

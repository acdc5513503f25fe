#include "model/held_function.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace weir::test {
namespace {

int doubled(int n) { return 2 * n; }

using number = held_function<int(int)>;

TEST(held_function, calls_what_it_was_made_of) {
  EXPECT_EQ(number(doubled)(3), 6);
  EXPECT_EQ(number([](int n) { return n + 1; })(3), 4);
  EXPECT_EQ(number(std::function<int(int)>(doubled))(3), 6);
}

// As with a std::function: the callable's own types may differ from the signature's, wherever they convert.
TEST(held_function, converts_arguments_and_result) {
  EXPECT_EQ(held_function<std::string(const char*)>([](const std::string& s) { return s + "!"; })("a"), "a!");
  int seen = 0;
  held_function<void(int)>([&](int n) { return seen = n; })(5);  // a result that nobody asked for
  EXPECT_EQ(seen, 5);
  EXPECT_FALSE((std::is_constructible_v<number, std::string (*)(int)>));
  EXPECT_FALSE((std::is_constructible_v<number, int (*)(const std::string&)>));
}

TEST(held_function, passes_on_references_and_what_can_only_be_moved) {
  int n = 1;
  held_function<void(int&)>([](int& i) { ++i; })(n);
  EXPECT_EQ(n, 2);
  held_function<std::unique_ptr<int>(std::unique_ptr<int>)> same([](std::unique_ptr<int> p) { return p; });
  EXPECT_EQ(*same(std::make_unique<int>(7)), 7);
}

TEST(held_function, is_empty_when_made_of_nothing_and_then_says_so_when_called) {
  for (const number& empty :
       {number(), number(nullptr), number(static_cast<int (*)(int)>(nullptr)), number(std::function<int(int)>())}) {
    EXPECT_FALSE(empty);
    EXPECT_THROW(empty(1), std::logic_error);
  }
  EXPECT_TRUE(number(doubled));
}

TEST(held_function, copies_share_what_they_call_and_the_last_one_ends_it) {
  const auto held = std::make_shared<int>(0);
  {
    number counts([held, own = 0](int n) mutable { return *held = own += n; });
    const number copy = counts;
    EXPECT_EQ(counts(1), 1);
    counts = nullptr;
    EXPECT_FALSE(counts);
    EXPECT_EQ(copy(2), 3);
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(held_function, lets_through_what_the_callable_throws) {
  EXPECT_THROW(number([](int) -> int { throw std::out_of_range("box"); })(1), std::out_of_range);
}

}  // namespace
}  // namespace weir::test

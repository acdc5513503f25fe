#include <weir/scheduler/view/held_function.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace weir::test {
namespace {

int doubled(int n) { return 2 * n; }

using number = held_function<int(int)>;

TEST(held_function, calls_what_it_was_made_of) {
  EXPECT_EQ(number(doubled)(3), 6);
  EXPECT_EQ(number([](int n) { return n + 1; })(3), 4);
  EXPECT_EQ(number(std::function<int(int)>(doubled))(3), 6);
}

// As with a std::function: the callable's own types may differ from the signature's if they convert.
TEST(held_function, converts_arguments_and_result) {
  EXPECT_EQ(held_function<std::string(const char*)>([](const std::string& s) { return s + "!"; })("a"), "a!");
  int seen = 0;
  held_function<void(int)>([&](int n) { return seen = n; })(5);  // the result is discarded
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
  const held_function<bool(int)> other_and_empty;
  for (const number& empty : {number(), number(nullptr), number(static_cast<int (*)(int)>(nullptr)),
                              number(std::function<int(int)>()), number(other_and_empty)}) {
    EXPECT_FALSE(empty);
    EXPECT_TRUE(empty == nullptr);
    EXPECT_THROW(empty(1), std::logic_error);
  }
  EXPECT_TRUE(number(doubled));
  EXPECT_TRUE(number(doubled) != nullptr);
  number was = doubled;
  EXPECT_EQ(number(std::move(was))(3), 6);
  was = doubled;
  was = {};
  EXPECT_FALSE(was);
}

// Only a function pointer or function wrapper can be empty. Other types are called, even if they compare equal to null.
TEST(held_function, calls_an_object_that_holds_a_null_pointer) {
  struct plain {
    int* at;
    int operator()(int n) const { return at ? *at : n; }
  };
  struct compared {
    compared(int* p) : at(p) {}
    bool operator==(const compared&) const = default;
    int operator()(int n) const { return at ? *at : n; }
    int* at;
  };
  EXPECT_EQ(number(plain{nullptr})(3), 3);
  EXPECT_EQ(number(compared(nullptr))(3), 3);
}

TEST(held_function, has_a_callable_of_its_own_in_each_copy_and_ends_it) {
  const auto alive = std::make_shared<int>(0);
  {
    number counts([alive, sum = 0](int n) mutable { return sum += n; });
    EXPECT_EQ(counts(1), 1);
    number copy = counts;
    EXPECT_EQ(counts(1), 2);
    EXPECT_EQ(copy(5), 6);
    EXPECT_EQ(alive.use_count(), 3);
    copy = counts;
    EXPECT_EQ(copy(5), 7);
    counts = nullptr;
    EXPECT_EQ(alive.use_count(), 2);
  }
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(held_function, keeps_to_the_overload_of_an_object_that_may_change_and_takes_references_to_objects) {
  struct both {
    int operator()(int) { return 1; }
    int operator()(int) const { return 2; }
  };
  EXPECT_EQ(number(both{})(0), 1);
  int calls = 0;
  auto counting = [&calls, own = 0](int) mutable { return calls = ++own; };
  const number held = std::ref(counting);
  held(0);
  EXPECT_EQ(counting(0), 2);
}

TEST(held_function, lets_through_what_the_callable_throws) {
  EXPECT_THROW(number([](int) -> int { throw std::out_of_range("box"); })(1), std::out_of_range);
}

}  // namespace
}  // namespace weir::test

#include "runtime/placed/open_calls.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <stdexcept>
#include <vector>

#include "runtime/remote/rank_message.hpp"

// Calls are opened and end in any order: their numbers name them until they are over.
namespace weir::detail {
namespace {

record_body* some_record(std::size_t i) {  // is only compared
  static std::vector<std::uint64_t> places(4096);
  return reinterpret_cast<record_body*>(&places.at(i));
}

TEST(open_calls, are_found_by_number_until_they_are_done_and_released) {
  struct known {
    record_body* kept;
    bool done = false, released = false;
  };
  std::mt19937 random(1);
  open_calls calls;
  std::map<std::uint64_t, known> oracle;
  std::size_t next = 0, not_done = 0;
  const auto any = [&] {
    auto at = oracle.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random() % oracle.size()));
    return at;
  };
  for (int i = 0; i < 4000; ++i) {
    if (oracle.empty() || random() % 3 == 0) {
      record_body* const kept = some_record(next++ % 4096);
      const bool released = random() % 2 == 0;
      const std::uint64_t number = calls.open({.kept = kept, .is_released = released, .whole = kept});
      EXPECT_TRUE(oracle.try_emplace(number, known{kept, false, released}).second) << "the number is in use";
      ++not_done;
    } else if (const auto at = any(); !at->second.done && random() % 8 == 0) {
      EXPECT_EQ(calls.cancel(at->first).kept, at->second.kept);
      oracle.erase(at);
      --not_done;
    } else {
      known& k = at->second;
      const bool done = !k.done && random() % 2 == 0, released = random() % 2 == 0;
      k.done |= done;
      k.released |= released;
      const open_call ended = calls.end(at->first, done, released);
      EXPECT_EQ(ended.kept, k.kept);
      EXPECT_EQ(ended.whole, done ? k.kept : nullptr);
      EXPECT_EQ(ended.is_over(), k.done && k.released);
      not_done -= done;
      if (ended.is_over()) oracle.erase(at);
    }
    EXPECT_EQ(calls.not_done(), not_done);
    std::size_t found = 0;
    calls.each([&](std::uint64_t number, const open_call& c) {
      ++found;
      EXPECT_EQ(oracle.at(number).kept, c.kept);
    });
    ASSERT_EQ(found, oracle.size());
  }
}

TEST(open_calls, are_numbered_in_the_order_of_sending_although_numbers_are_used_again) {
  open_calls calls;
  const std::uint64_t first = calls.open({.kept = some_record(0)}), second = calls.open({.kept = some_record(1)});
  calls.end(first, true, true);
  const std::uint64_t third = calls.open({.kept = some_record(2)});
  EXPECT_EQ(third, first);
  EXPECT_LT(calls.at(second).order, calls.at(third).order);
}

TEST(open_calls, refuse_numbers_that_no_call_has) {
  open_calls calls;
  EXPECT_THROW(calls.at(0), std::runtime_error);
  EXPECT_THROW(calls.at(1), std::runtime_error);
  const std::uint64_t number = calls.open({.kept = some_record(0)});
  EXPECT_EQ(&calls.at(remote::divided(number)), &calls.at(number)) << "a part names its call";
  calls.end(number, true, false);
  EXPECT_THROW(calls.end(number, true, false), std::runtime_error) << "it was done already";
  calls.end(number, false, true);
  EXPECT_THROW(calls.end(number, false, true), std::runtime_error);
}

}  // namespace
}  // namespace weir::detail

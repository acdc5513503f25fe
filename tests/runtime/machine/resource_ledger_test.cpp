#include "runtime/machine/resource_ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/eventually.hpp"
#include "tests/support/refusal.hpp"

// Amounts of resources, and who gets them when.
namespace weir::detail {
namespace {

using demand = resource_ledger::demand;
using testing::eventually;

class a_ledger : public ::testing::Test {
 protected:
  bool take(std::vector<demand> amounts) { return ledger.acquire(amounts, never, false); }
  void give(std::vector<demand> amounts) { ledger.release(amounts); }
  std::int64_t in_use(const resource_ledger::account& of) { return ledger.seen(of).in_use; }

  resource_ledger ledger;
  resource_ledger::account &first = ledger.open("first", 10), &second = ledger.open("second", 3);
  threads::atomic<bool> never{false};
};

TEST_F(a_ledger, gives_all_amounts_of_a_request_or_none) {
  EXPECT_TRUE(take({{&first, 4}, {&second, 3}}));
  EXPECT_FALSE(take({{&first, 1}, {&second, 1}}));
  EXPECT_EQ(in_use(first), 4);
  EXPECT_TRUE(take({{&first, 6}})) << "what the refused request wanted of it is free";
  give({{&first, 4}, {&second, 3}});
  EXPECT_TRUE(take({{&first, 1}, {&second, 1}}));
  EXPECT_EQ(ledger.seen(first).peak, 10);
}

// Invocations read them without the lock. The thread sanitizer sees whether another run that opens the account writes.
TEST_F(a_ledger, leaves_the_name_and_the_total_of_an_open_account_as_they_are) {
  std::atomic<bool> is_over{false};
  std::thread other_run([&] {
    while (!is_over) ledger.close(ledger.open("first", 10));
  });
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(first.total(), 10);
    EXPECT_EQ(first.name(), "first");
  }
  is_over = true;
  other_run.join();
}

// Two of ten are free, and the first in line waits for five: a later request for two would delay it.
TEST_F(a_ledger, lets_no_later_request_take_what_an_earlier_one_waits_for) {
  ASSERT_TRUE(take({{&first, 8}}));
  const std::array<demand, 2> wanted{{{&first, 5}, {&second, 1}}};
  std::atomic<bool> has_it{false};
  std::thread earlier([&] { has_it = ledger.acquire(wanted, never); });
  EXPECT_TRUE(eventually([&] {
    if (!take({{&first, 1}})) return true;
    give({{&first, 1}});
    return false;
  })) << "once the earlier request waits, none of the two that are free is given away";
  EXPECT_FALSE(has_it);
  EXPECT_TRUE(take({{&first, 0}})) << "a request for nothing has nothing to wait for";
  EXPECT_TRUE(take({{&second, 2}})) << "of the second resource all but one are nobody's";
  EXPECT_FALSE(take({{&second, 1}}));
  give({{&first, 8}});
  earlier.join();
  EXPECT_TRUE(has_it);
  EXPECT_EQ(in_use(first), 5);
}

TEST_F(a_ledger, lets_go_of_a_cancelled_request_and_serves_those_behind_it) {
  ASSERT_TRUE(take({{&first, 8}}));
  threads::atomic<bool> is_cancelled{false};
  const std::array<demand, 1> much{{{&first, 9}}}, little{{{&first, 2}}};
  std::thread cancelled([&] { EXPECT_FALSE(ledger.acquire(much, is_cancelled)); });
  EXPECT_TRUE(eventually([&] {
    if (!take({{&first, 1}})) return true;
    give({{&first, 1}});
    return false;
  }));
  std::thread behind([&] { EXPECT_TRUE(ledger.acquire(little, never)); });
  is_cancelled = true;
  ledger.wake();
  cancelled.join();
  behind.join();
  EXPECT_EQ(in_use(first), 10);
}

TEST_F(a_ledger, keeps_one_total_as_long_as_a_run_has_the_account) {
  EXPECT_EQ(&ledger.open("first", 10), &first);
  EXPECT_EQ(testing::refusal<std::invalid_argument>([&] { ledger.open("first", 12); }),
            "resource first: its total is 12, but another run on this machine has it with a total of 10");
  ledger.close(first);
  ledger.close(first);
  EXPECT_EQ(ledger.open("first", 12).total(), 12);
}

// Random requests of many threads for one to three resources. The counts of the threads themselves never exceed the
// totals. Each request is served although larger and smaller ones come without end.
TEST_F(a_ledger, is_never_overdrawn_and_serves_everybody) {
  for (const int threads : {1, 2, 7, 64}) {
    resource_ledger::account& third = ledger.open("third", 100);
    const std::array<resource_ledger::account*, 3> all{&first, &second, &third};
    std::array<std::atomic<std::int64_t>, 3> held{};
    std::atomic<std::int64_t> served{0};
    const int each = 60'000 / threads;
    std::vector<std::thread> users;
    for (int t = 0; t < threads; ++t)
      users.emplace_back([&, t] {
        std::mt19937_64 random(static_cast<std::uint64_t>(t));
        for (int i = 0; i < each; ++i) {
          std::vector<demand> wanted;
          std::vector<std::size_t> of;
          for (std::size_t r = 0; r < all.size(); ++r)
            if (random() % 2 == 0) {
              const bool is_large = random() % 16 == 0;
              const std::int64_t total = all[r]->total();
              const auto below = static_cast<std::uint64_t>(is_large ? total + 1 : total / 3 + 1);
              wanted.push_back({all[r], static_cast<std::int64_t>(random() % below)});
              of.push_back(r);
            }
          ASSERT_TRUE(ledger.acquire(wanted, never));
          for (std::size_t w = 0; w < wanted.size(); ++w)
            ASSERT_LE(held[of[w]] += wanted[w].amount, all[of[w]]->total()) << "more was given than there is";
          for (std::size_t w = 0; w < wanted.size(); ++w) held[of[w]] -= wanted[w].amount;
          ledger.release(wanted);
          ++served;
        }
      });
    for (std::thread& one : users) one.join();
    EXPECT_EQ(served, std::int64_t{each} * threads);
    for (const auto* const one : all) EXPECT_EQ(in_use(*one), 0);
    ledger.close(third);
  }
}

}  // namespace
}  // namespace weir::detail

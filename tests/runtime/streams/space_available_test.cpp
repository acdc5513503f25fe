#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "runtime/streams/channel.hpp"

namespace weir::detail {
namespace {

// A notification calls a few of the threads that wait. No other is left asleep while it could go on.
TEST(a_wait_for_room, ends_for_each_thread_although_each_wants_another_amount) {
  for (const int threads : {1, 2, 7, 64}) {
    constexpr std::int64_t all = 10;
    std::atomic<std::int64_t> rest{all}, least{all};
    space_available space;
    std::vector<std::thread> users;
    for (int t = 0; t < threads; ++t)
      users.emplace_back([&, t] {
        std::mt19937_64 random(static_cast<std::uint64_t>(t));
        for (int i = 0; i < 20'000 / threads; ++i) {
          const auto wanted = static_cast<std::int64_t>(1 + random() % all);
          std::int64_t seen = rest;
          while (seen < wanted || !rest.compare_exchange_weak(seen, seen - wanted)) {
            if (seen < wanted) space.wait([&] { return rest >= wanted; });
            seen = rest;
          }
          if (rest < 0) least = -1;
          rest += wanted;
          space.notify();
        }
      });
    for (std::thread& one : users) one.join();
    EXPECT_EQ(rest, all) << threads << " threads";
    EXPECT_EQ(least, all);
  }
}

TEST(a_wait_for_room, ends_for_all_threads_when_it_is_cancelled) {
  for (const int threads : {1, 3, 64}) {
    std::atomic<bool> is_cancelled{false};
    std::atomic<int> looked{0};
    space_available space;
    std::vector<std::thread> waiting;
    for (int t = 0; t < threads; ++t)
      waiting.emplace_back([&] {
        ++looked;
        space.wait([&] { return is_cancelled.load(); });
      });
    while (looked < threads) std::this_thread::yield();
    is_cancelled = true;
    space.notify_now();
    for (std::thread& one : waiting) one.join();
  }
}

}  // namespace
}  // namespace weir::detail

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include <weir/record/pool.hpp>
#include "tests/support/eventually.hpp"
#include "tests/support/threads.hpp"

namespace weir::detail {
[[gnu::weak]] void end_threads_at_rest() noexcept;  // null in programs without the runtime, which keep no threads
}

namespace weir::testing {

// The base of every test that runs a network. After the test, in any case, everything must be given back: as many pool
// blocks are live and as many threads exist as before. A test that hangs ends the program with its name.
class gives_all_back : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    const char* const told = std::getenv("TSAN_OPTIONS");
    static const bool through_tbb = told && std::strstr(told, "suppressions");  // otherwise nothing of oneTBB is
                                                                                // suppressed
#else
    static const bool through_tbb = true;
#endif
    static const bool warm = (through_tbb && (start_all_tbb_workers(), true));
    (void)warm;
    watchdog_ = std::thread([this] { watch(); });
    threads_ = thread_count();
    blocks_ = pool::live();
  }

  void TearDown() override {
    if (detail::end_threads_at_rest) detail::end_threads_at_rest();
    EXPECT_TRUE(eventually([&] { return pool::live() == blocks_; }))
        << "pool blocks live before the test: " << blocks_ << ", after: " << pool::live();
    EXPECT_TRUE(eventually([&] { return thread_count() <= threads_; }))
        << "threads before the test: " << threads_ << ", after: " << thread_count();
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_one();
    watchdog_.join();
  }

 private:
  static constexpr int most_seconds = 270;  // below the limit of CTest, which names no test of a program

  void watch() {
    std::unique_lock lock(mutex_);
    if (ended_.wait_for(lock, std::chrono::seconds(most_seconds), [&] { return done_; })) return;
    const auto* const now = ::testing::UnitTest::GetInstance()->current_test_info();
    std::fprintf(stderr, "%s.%s hangs: given up after %d s\n", now->test_suite_name(), now->name(), most_seconds);
    std::fflush(nullptr);
    std::_Exit(3);
  }

  long long blocks_ = 0;
  int threads_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread watchdog_;
};

}  // namespace weir::testing

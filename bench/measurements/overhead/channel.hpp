#pragma once

#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "bench/measurements/overhead/item.hpp"

namespace weir::overhead {

// A stream between two threads as one would write it by hand. It uses Boost's queue for one writer and one reader. The
// queue holds owning pointers, since its elements must be trivially copyable. Each side spins for some microseconds and
// then sleeps until it is notified. A null pointer is the end.
class channel {
 public:
  explicit channel(std::size_t places) : queue_(places) {}

  void push(item* x) {
    while (!queue_.push(x)) wait(popped_, [this] { return queue_.write_available() > 0; });
    ring(pushed_);
  }

  item* pop() {
    item* x = nullptr;
    while (!queue_.pop(x)) wait(pushed_, [this] { return queue_.read_available() > 0; });
    ring(popped_);
    return x;
  }

 private:
  // Sequentially consistent: either the waiter sees the new count, or this thread sees the waiter.
  static void ring(std::atomic<std::int32_t>& bell) {
    bell.store(bell.load(std::memory_order_relaxed) + 1);
    bell.notify_one();
  }

  template <class Ready>
  static void wait(std::atomic<std::int32_t>& bell, Ready ready) {
    constexpr int looks = 64;  // a few microseconds at most: waking takes longer
    for (int i = 0; i < looks; ++i) {
      if (ready()) return;
      __builtin_ia32_pause();
    }
    const std::int32_t before = bell.load();
    if (!ready()) bell.wait(before);
  }

  boost::lockfree::spsc_queue<item*> queue_;
  alignas(64) std::atomic<std::int32_t> pushed_{0};
  alignas(64) std::atomic<std::int32_t> popped_{0};
};

}  // namespace weir::overhead

#pragma once

#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "bench/measurements/overhead/item.hpp"

namespace weir::overhead {

// The way in which a thread waits for the other side of a channel. parked: it sleeps immediately. spinning_first: it
// spins for a few microseconds, yields its core four times, and then sleeps. spinning: it spins and yields in turns and
// never sleeps. Without the yields three threads on two cores would make no progress.
enum class waiting { parked, spinning_first, spinning };

// A stream between two threads as one would write it by hand, on Boost's queue for one writer and one reader. A reader
// is woken by the first item, a writer when half of the places are free.
class channel {
 public:
  explicit channel(std::size_t places, waiting how = waiting::spinning_first)
      : queue_(places), half_((places + 1) / 2), how_(how) {}

  void push(const item& x) {
    while (!queue_.push(x)) wait(writer_, [this] { return queue_.write_available() > 0; });
    wake(reader_, [] { return true; });
  }

  // False: it is closed and empty.
  bool pop(item& x) {
    while (!queue_.pop(x)) {
      if (closed_.load()) return queue_.pop(x);
      wait(reader_, [this] { return queue_.read_available() > 0 || closed_.load(); });
    }
    wake(writer_, [this] { return queue_.write_available() >= half_; });
    return true;
  }

  // By the writer.
  void close() {
    closed_.store(true);
    wake(reader_, [] { return true; });
  }

 private:
  struct alignas(64) sleeper {
    std::atomic<bool> sleeps{false};
    std::mutex mutex;
    std::condition_variable woken;
  };

  // The fences: either the one that waits sees what came, or the other sees that it sleeps.
  template <class Pays>
  static void wake(sleeper& side, Pays pays) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!side.sleeps.load(std::memory_order_relaxed) || !pays()) return;
    const std::lock_guard lock(side.mutex);
    side.sleeps.store(false);
    side.woken.notify_one();
  }

  template <class Ready>
  void wait(sleeper& side, Ready ready) const {
    constexpr int looks = 64;  // a few microseconds at most: waking takes longer
    constexpr int yields = 4;  // before it sleeps, as in libstdc++'s std::atomic::wait
    for (int i = 0; how_ != waiting::parked && i < looks; ++i) {
      if (ready()) return;
      __builtin_ia32_pause();
    }
    for (int i = 0; how_ == waiting::spinning || (how_ == waiting::spinning_first && i < yields); ++i) {
      std::this_thread::yield();
      if (ready()) return;
    }
    std::unique_lock lock(side.mutex);
    side.sleeps.store(true);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (ready())
      side.sleeps.store(false);
    else
      side.woken.wait(lock, [&] { return !side.sleeps.load(); });
  }

  boost::lockfree::spsc_queue<item> queue_;
  const std::size_t half_;
  const waiting how_;
  sleeper reader_, writer_;
  std::atomic<bool> closed_{false};
};

}  // namespace weir::overhead

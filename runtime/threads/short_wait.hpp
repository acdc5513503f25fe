#pragma once

#include <weir/threads/primitives.hpp>

namespace weir::detail {

// Whether short waits pay at one place of the program. After four in a row in vain only one in seven is tried, until
// one succeeds. Thread-safe.
class short_waits {
 public:
  bool pay() const {
    const int n = in_vain_.load(std::memory_order_relaxed);
    return n < few || n % seldom == 0;
  }
  void succeeded() {
    if (in_vain_.load(std::memory_order_relaxed) > 0) in_vain_.store(0, std::memory_order_relaxed);
  }
  // Or was not tried.
  void failed() { in_vain_.store((in_vain_.load(std::memory_order_relaxed) + 1) % most, std::memory_order_relaxed); }

 private:
  static constexpr int few = 4, seldom = 7, most = 146 * seldom;  // odd: few loads have that period
  threads::atomic<int> in_vain_{0};                               // in a row, about
};

// A wait of 5 to 8 us for something that another thread is about to bring; to sleep and be woken takes as long. It
// pauses a few times, since a thread on another core brings it within a microsecond. Then it yields its core, since the
// thread that brings it may need this one. A yield to another process may take its whole time slice, some milliseconds;
// yield_limit sees to it that few do. The caller looks between two moments:
//
//     for (short_wait wait(waits);;) {
//       if (is_there()) return wait.arrived();
//       if (!wait.goes_on()) break;
//     }
//
// Used by one thread.
class short_wait {
 public:
  explicit short_wait(short_waits& here) : here_(here) {}
  short_wait(const short_wait&) = delete;

  // Waits a moment. False, immediately, when it was long enough, or does not pay here.
  bool goes_on() noexcept;

  // The awaited event has come. It may wait for the next.
  void arrived() noexcept {
    if (pauses_ > 0 && !is_over_) here_.succeeded();
    pauses_ = 0;
    is_over_ = false;
  }

 private:
  short_waits& here_;
  int pauses_ = 0;  // and yields, each counted as several pauses
  bool is_over_ = false;
};

}  // namespace weir::detail

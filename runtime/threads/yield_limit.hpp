#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/threads/primitives.hpp"

namespace weir::detail {

// Whether waiting threads may yield their cores. Where something else computes on a core, a thread that yields it waits
// until that one's time slice is over, some milliseconds; a sleeping thread that is woken waits less. So after a long
// yield nobody yields for a while. A bar is twice as long as the last one if that one ended less than its own length
// ago. Yields that began before a bar do not count.
//
// Times are nanoseconds of one steady clock. Thread-safe: of long yields at the same time, one is enough.
class yield_limit {
 public:
  // Of yields to threads of one's own run, one in 1000 takes as long.
  static constexpr std::int64_t long_yield = 1'000'000;
  static constexpr std::int64_t least = 20'000'000, most = 3'200'000'000;

  bool allows(std::int64_t now) const { return now >= barred_until_.load(std::memory_order_relaxed); }

  void note(std::int64_t began, std::int64_t ended) {
    if (ended - began < long_yield) return;
    const std::int64_t until = barred_until_.load(std::memory_order_relaxed);
    if (began < until) return;  // another thread's was noted meanwhile
    const std::int64_t last = length_.load(std::memory_order_relaxed);
    const std::int64_t length = began - until < last ? std::min(2 * last, most) : least;
    length_.store(length, std::memory_order_relaxed);
    barred_until_.store(ended + length, std::memory_order_relaxed);
  }

 private:
  threads::atomic<std::int64_t> barred_until_{0}, length_{least};
};

}  // namespace weir::detail

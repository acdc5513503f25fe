#pragma once

#include <algorithm>
#include <cstdint>

#include <weir/threads/primitives.hpp>

namespace weir::detail {

// Whether waiting threads may yield their cores. When another process computes on a core, a thread that yields the core
// gets it back only after that process's time slice, some milliseconds later. A thread that sleeps and is woken waits
// less. So a long yield bars all threads of the process from yielding for some time (exponential backoff). The time
// doubles if the next long yield comes within the length of the last bar after its end; else it starts from the least
// again. A yield that began before a bar does not lengthen it.
//
// Times are nanoseconds of one steady clock. Thread-safe: of long yields at the same time, one is enough.
class yield_limit {
 public:
  // One in 1000 yields to threads of one's own run takes as long.
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

#pragma once

#include <weir/threads/primitives.hpp>
#include "runtime/engine/region.hpp"

namespace weir::detail {

// The gate of a region's intake (intake::set_gate) that is shut while a number behind the region is above a limit.
// `is_above` compares the two. A thread that lowers the number, and may end this so, calls look_again() afterwards.
// Thread-safe.
//
// No wake-up is lost: a worker that finds the number above the limit says so and then compares again; a thread that
// lowers it reads afterwards what the worker said. On both sides a sequentially consistent fence stands between the two
// steps. Relaxed: the flag orders nothing else.
class inlet_gate {
 public:
  template <class IsAbove>
  bool is_shut(const IsAbove& is_above) {
    if (!is_above()) return false;
    was_shut_.store(true, std::memory_order_relaxed);
    threads::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with look_again()
    return is_above();
  }

  template <class IsAbove>
  void look_again(region& of, const IsAbove& is_above) {
    threads::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with is_shut()
    if (!was_shut_.load(std::memory_order_relaxed) || is_above()) return;
    was_shut_.store(false, std::memory_order_relaxed);  // a worker that looks after this call shuts it again
    of.wake_worker();
  }

 private:
  threads::atomic<bool> was_shut_{false};  // when the region looked last
};

}  // namespace weir::detail

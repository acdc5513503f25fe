#pragma once

#include <weir/threads/primitives.hpp>

namespace weir::detail::processes {

// Counts workers of a box that ended before they had greeted. Thread-safe.
class start_failures {
 public:
  // After this number in a row there is no further try: one may be bad luck with memory or processes, three are none.
  static constexpr int most = 3;

  // Returns whether another try is due.
  bool failed() { return in_a_row_.fetch_add(1, std::memory_order_relaxed) + 1 < most; }  // relaxed: a number only
  bool has_failed() const { return in_a_row_.load(std::memory_order_relaxed) > 0; }       // the last one
  void succeeded() {
    if (has_failed()) in_a_row_.store(0, std::memory_order_relaxed);
  }

 private:
  threads::atomic<int> in_a_row_{0};
};

}  // namespace weir::detail::processes

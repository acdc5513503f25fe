#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// How many records an invocation of a component takes: learns the time of a record for each size, and prefers the size
// with the least. Sizes are 1 to 16, then four in each octave, and the largest. First the powers of two are tried, four
// times each, in every second invocation; then, in every fourth, what lies within an octave of the best; after that one
// invocation in 64 tries again. Thread-safe.
class batch_sizes {
 public:
  // Of at most so many records.
  explicit batch_sizes(std::size_t most);

  // The size of an invocation that begins while so many records wait, at least 1.
  std::size_t next(std::size_t waiting) noexcept;

  // An invocation of so many records on so many cores took this long for each, in seconds. `longest`: no size is
  // preferred whose invocation would take longer.
  void note(std::size_t records, double seconds_of_a_record, int cores, double longest) noexcept;

  // The size that is preferred now, and the largest that next() may give. Relaxed: hints.
  std::size_t preferred() const { return preferred_.load(std::memory_order_relaxed); }
  std::size_t largest_next() const;

  std::size_t most() const { return sizes_.back().records; }

  // Invocations so far, and their records.
  std::uint64_t invocations() const { return invocations_.load(std::memory_order_relaxed); }
  std::uint64_t records() const { return records_.load(std::memory_order_relaxed); }

 private:
  // The times of a record in the last 32 or so invocations of about this size.
  struct size_state {
    std::size_t records;
    double seconds = 0;  // their mean
    double variance = 0;
    double seen = 0;
    bool is_tried() const;  // often enough for its mean to be compared
  };
  std::size_t at_or_below(std::size_t records) const;
  std::size_t best(double longest) const;
  std::size_t next_to_try(std::size_t best, double longest) const;

  mutable WEIR_LOCK(batch_sizes) mutex_;
  std::vector<size_state> sizes_;  // ascending; `records` never changes
  int cores_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t since_try_ WEIR_GUARDED_BY(mutex_) = 0;   // invocations
  threads::atomic<std::size_t> preferred_{1}, tried_{0};  // tried_: to be tried by the next invocation; 0: none
  threads::atomic<std::uint64_t> invocations_{0}, records_{0};
};

}  // namespace weir::detail

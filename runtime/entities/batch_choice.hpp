#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"
#include "scheduler/control/batch_sizes.hpp"

namespace weir::detail {

// The batch_sizes of a component, for all threads that run it, and counts of its invocations. Thread-safe.
class batch_choice {
 public:
  explicit batch_choice(std::size_t most) : sizes_(most), most_(most) {}

  // As those of batch_sizes.
  std::size_t next(std::size_t waiting) noexcept {
    const lock_guard lock(mutex_);
    const std::size_t size = sizes_.next(waiting);
    publish();
    return size;
  }
  void note(std::size_t records, double seconds_of_a_record, bool after_move, double longest) noexcept {
    invocations_.fetch_add(1, std::memory_order_relaxed);
    records_.fetch_add(records, std::memory_order_relaxed);
    const lock_guard lock(mutex_);
    sizes_.note(records, seconds_of_a_record, after_move, longest);
    publish();
  }
  std::size_t most() const { return most_; }
  std::size_t largest_next() const { return largest_next_.load(std::memory_order_relaxed); }  // a hint

  // Invocations so far, and their records. Relaxed: numbers for a report.
  std::uint64_t invocations() const { return invocations_.load(std::memory_order_relaxed); }
  std::uint64_t records() const { return records_.load(std::memory_order_relaxed); }

 private:
  void publish() WEIR_REQUIRES(mutex_) { largest_next_.store(sizes_.largest_next(), std::memory_order_relaxed); }

  mutable WEIR_LOCK(batch_sizes) mutex_;
  batch_sizes sizes_ WEIR_GUARDED_BY(mutex_);
  const std::size_t most_;
  threads::atomic<std::size_t> largest_next_{1};
  threads::atomic<std::uint64_t> invocations_{0}, records_{0};
};

}  // namespace weir::detail

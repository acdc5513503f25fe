#pragma once

#include <cstdint>

#include <weir/threads/primitives.hpp>
#include "runtime/streams/run_owner.hpp"

namespace weir::detail {

// Which placing of the network is in force, as regions see it, and whether part of it still waits for regions to become
// quiet. Written by the run's placing under its lock. Thread-safe.
class placing_epoch {
 public:
  explicit placing_epoch(run_owner& run) : run_(run) {}

  // Counts the placings that cut something off. Acquire pairs with the release in set(): a reader of the epoch sees
  // what was cut off by then.
  std::uint64_t now() const { return epoch_.load(std::memory_order_acquire); }
  void set(std::uint64_t epoch) { epoch_.store(epoch, std::memory_order_release); }

  // Relaxed: a hint at state that the lock of placing guards.
  void set_incomplete(bool is) { incomplete_.store(is, std::memory_order_relaxed); }
  bool is_incomplete() const { return incomplete_.load(std::memory_order_relaxed); }
  void complete_if_needed() {
    if (is_incomplete()) run_.complete_fusion();
  }

 private:
  run_owner& run_;
  threads::atomic<std::uint64_t> epoch_{0};
  threads::atomic<bool> incomplete_{false};
};

}  // namespace weir::detail

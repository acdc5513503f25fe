#pragma once

#include <algorithm>
#include <cstdint>

#include <weir/network/box_spec.hpp>
#include <weir/threads/primitives.hpp>

namespace weir::detail {

// The use of other processes by the timed invocations of a component. Thread-safe. Relaxed: numbers for a report.
class outside_use {
 public:
  // `seconds`: of the invocation as its thread saw it, with the start of the process and the hand-over of values.
  void note(const invocation_use& use, double seconds) noexcept {
    std::uint64_t most = peak_bytes_.load(std::memory_order_relaxed);
    while (use.peak_bytes > most &&
           !peak_bytes_.compare_exchange_weak(most, use.peak_bytes, std::memory_order_relaxed)) {
    }
    double before = around_.load(std::memory_order_relaxed);
    const double around = std::max(seconds - use.seconds, 0.0);
    while (!around_.compare_exchange_weak(before, before + around, std::memory_order_relaxed)) {
    }
    count_.fetch_add(1, std::memory_order_relaxed);
  }

  std::uint64_t peak_bytes() const { return peak_bytes_.load(std::memory_order_relaxed); }
  // Mean seconds of an invocation around the work of its process; NaN: there was none.
  double seconds_around() const {
    return around_.load(std::memory_order_relaxed) / static_cast<double>(count_.load(std::memory_order_relaxed));
  }

 private:
  threads::atomic<std::uint64_t> peak_bytes_{0}, count_{0};
  threads::atomic<double> around_{0};
};

}  // namespace weir::detail

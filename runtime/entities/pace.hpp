#pragma once

#include <cstdint>

#include <weir/threads/primitives.hpp>
#include "scheduler/control/learner.hpp"

namespace weir::detail {

// How the invocations of a component run and are timed, by what one costs.
enum class pace : std::uint8_t {
  unknown,  // not known yet: each is timed
  inlined,  // cheaper than handing its record to another thread: runs inline, and some are timed
  sampled,  // some are timed, since timing each would cost too much
  timed     // each is timed
};

// A hand-over to another thread costs about 5 us, the wake-up. Seconds and invocations, the first of which runs cold.
constexpr double inlined_below = learner::short_below;
constexpr std::uint32_t enough_to_inline = 4;
// From here on a box is worth a wake-up for each record, so that another thread runs the next one. On two cores four
// serial boxes of 10 us gave 1.6 times the records a second. Boxes of 3 us gave 0.7 times as many.
constexpr double apart_above = 2 * inlined_below;

// The pace of a component, as far as it is known. Invocations on cores of its own, or outside the cores, are each timed
// nevertheless. The run's steps write, one at a time; any thread reads. Relaxed: a box that reads an older value is
// timed once more or less.
class component_pace {
 public:
  pace get() const { return static_cast<pace>(state() & ~on_own_cores); }
  bool is_inlined() const { return get() == pace::inlined; }
  bool is_sampled() const {
    const std::uint8_t now = state();
    return now == inlined || now == sampled;
  }

  void set(pace p) { state_.store(static_cast<std::uint8_t>(p) | (state() & on_own_cores), std::memory_order_relaxed); }
  void set_on_own_cores(bool is) {
    state_.store((state() & ~on_own_cores) | (is ? on_own_cores : 0), std::memory_order_relaxed);
  }

  // After a timed invocation. While the pace is unknown, a few short ones in a row say that it is sampled: steps come
  // too seldom for that.
  void note_timed(double seconds) noexcept {
    std::uint8_t unknown = static_cast<std::uint8_t>(pace::unknown);
    if (state() != unknown) return;
    const std::uint32_t in_a_row = seconds < inlined_below ? in_a_row_.load(std::memory_order_relaxed) + 1 : 0;
    in_a_row_.store(in_a_row, std::memory_order_relaxed);
    if (in_a_row >= enough_to_inline) state_.compare_exchange_strong(unknown, sampled, std::memory_order_relaxed);
  }
  // Before the run: as if all but the last of these had been seen.
  void expect_short() { in_a_row_.store(enough_to_inline - 1, std::memory_order_relaxed); }
  bool was_short() const { return in_a_row_.load(std::memory_order_relaxed) > 0; }  // the last, while not known

 private:
  static constexpr std::uint8_t inlined = static_cast<std::uint8_t>(pace::inlined);
  static constexpr std::uint8_t sampled = static_cast<std::uint8_t>(pace::sampled);
  static constexpr std::uint8_t on_own_cores = 4;
  std::uint8_t state() const { return state_.load(std::memory_order_relaxed); }

  threads::atomic<std::uint8_t> state_{static_cast<std::uint8_t>(pace::unknown)};  // a pace, and on_own_cores or not
  threads::atomic<std::uint32_t> in_a_row_{0};                                     // short ones, while not known
};

}  // namespace weir::detail

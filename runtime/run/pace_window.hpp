#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace weir::detail {

// Counts the records that enter a network over some milliseconds, once streams are as full as they get under a plan.
// Both take less time where many records enter. Not thread-safe.
class pace_window {
 public:
  // settles: whether another plan came into force.
  void begin(double now, std::uint64_t entered, bool settles);

  // Takes in a step: the records that have `entered` by `now`, in seconds after the start. Returns the seconds between
  // two of them when enough have entered, infinity when too few have. While a plan settles, one under which a record
  // takes `hopeless` seconds is given up.
  std::optional<double> take(double now, std::uint64_t entered, double hopeless);

  // When take() is to be called at the latest; whether it was called so late that the source may have paused.
  double due() const { return due_; }
  bool is_late(double now) const { return now - from_ > latest; }

  static constexpr double too_few = std::numeric_limits<double>::infinity();

 private:
  // Seconds, for many records and for few.
  static constexpr double settles_first = 5e-3, settles_last = 10e-3;
  static constexpr double shortest = 8e-3, usual = 10e-3, longest = 50e-3, latest = 80e-3;
  static constexpr std::uint64_t many = 2000;
  static constexpr std::uint64_t least = 200;  // records: a hand-over is nothing for longer ones

  double from_ = 0, due_ = shortest;
  bool settles_ = false;
  std::uint64_t entered_ = 0;  // by then
};

}  // namespace weir::detail

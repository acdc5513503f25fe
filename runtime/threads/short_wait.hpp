#pragma once

namespace weir::detail {

// A wait of 5 to 8 us for something that another thread is about to bring; to sleep and be woken takes as long. It
// pauses a few times, since a thread on another core brings it within a microsecond. Then it yields its core, since the
// thread that brings it may need this one (yield_limit). The caller looks between two moments:
//
//     for (short_wait wait; !is_there() && wait.goes_on();) {
//     }
//
// Used by one thread.
class short_wait {
 public:
  // Waits a moment. False, immediately, when it was long enough.
  bool goes_on() noexcept;

 private:
  int pauses_ = 0;  // and yields, as so many pauses
};

}  // namespace weir::detail

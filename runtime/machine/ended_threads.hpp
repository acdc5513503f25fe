#pragma once

#include <algorithm>

namespace weir::detail {

// The CPU time of threads that have ended: that of their process without that of the living ones. The clock of the
// process is read first, and threads compute until they are read. So they may be ahead of it, by as long as the reading
// thread was kept from its core meanwhile. Their lead is taken off at the next reading. It is no more than they
// computed since the reading before: more is an error of the reading, which is forgotten. Used by one thread.
class ended_threads {
 public:
  // process: CPU seconds of all its threads so far. living: those of the living ones since the last call, less what
  // earlier calls had of threads that `process` counts no longer. Returns the seconds of ended ones that no call has
  // returned yet.
  double take(double process, double living) {
    const double ended = std::max(0.0, process - accounted_ - living);
    accounted_ = std::min(accounted_ + living + ended, process + std::max(0.0, living));
    return ended;
  }

 private:
  double accounted_ = 0;  // seconds of living and ended threads so far
};

}  // namespace weir::detail

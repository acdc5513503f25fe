#include "runtime/machine/worker_clocks.hpp"

namespace weir::detail {

worker_clocks::worker_clocks(const platform& p, int places)
    : platform_(p), count_(places), clocks_(std::make_unique<clock[]>(static_cast<std::size_t>(places))) {}

// A clock that could not be read (NaN) adds nothing.
double worker_clocks::clock::with(double now) const { return now > entered ? before + (now - entered) : before; }

// enter() and leave() make their system calls outside the lock: a worker that loses its core in one keeps no reader
// waiting.
void worker_clocks::enter(int place) {
  if (place < 0 || place >= count_) return;
  const cpu_clock own = platform_.own_cpu_clock();
  const double now = platform_.cpu_seconds(own);
  clock& at = clocks_[static_cast<std::size_t>(place)];
  const lock_guard lock(at.mutex);
  at.is_running = true;
  at.who = own;
  at.entered = now;
}

void worker_clocks::leave(int place) {
  if (place < 0 || place >= count_) return;
  const double now = platform_.cpu_seconds(platform_.own_cpu_clock());
  clock& at = clocks_[static_cast<std::size_t>(place)];
  const lock_guard lock(at.mutex);
  at.before = at.with(now);
  at.is_running = false;
}

double worker_clocks::read(int place) const {
  const clock& at = clocks_[static_cast<std::size_t>(place)];
  const lock_guard lock(at.mutex);
  return at.is_running ? at.with(platform_.cpu_seconds(at.who)) : at.before;
}

}  // namespace weir::detail

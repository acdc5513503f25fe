#include "runtime/machine/worker_clocks.hpp"

#include <limits>

#include "runtime/machine/foreign_load.hpp"

namespace weir::detail {

worker_clocks::worker_clocks(const platform& p, int places, const foreign_load* others)
    : platform_(p),
      count_(places),
      others_(others),
      clocks_(std::make_unique<clock[]>(static_cast<std::size_t>(places))) {}

// A clock that could not be read (NaN) adds nothing.
double worker_clocks::clock::with(double now) const { return now > entered ? before + (now - entered) : before; }
double worker_clocks::clock::delayed_with(double now) const {
  return now > delayed_entered ? delayed_before + (now - delayed_entered) : delayed_before;
}

double worker_clocks::delay(cpu_clock of) const {
  return others_ && others_->is_notable() ? platform_.delay(of) : std::numeric_limits<double>::quiet_NaN();
}

// enter() and leave() make their system calls outside the lock: a worker that loses its core in one keeps no reader
// waiting.
void worker_clocks::enter(int place) {
  if (place < 0 || place >= count_) return;
  const cpu_clock own = platform_.own_cpu_clock();
  const double now = platform_.cpu_seconds(own), delayed = delay(own);
  clock& at = clocks_[static_cast<std::size_t>(place)];
  const lock_guard lock(at.mutex);
  at.is_running = true;
  at.who = own;
  at.entered = now;
  at.delayed_entered = delayed;
}

void worker_clocks::leave(int place) {
  if (place < 0 || place >= count_) return;
  const cpu_clock own = platform_.own_cpu_clock();
  const double now = platform_.cpu_seconds(own), delayed = delay(own);
  clock& at = clocks_[static_cast<std::size_t>(place)];
  const lock_guard lock(at.mutex);
  at.before = at.with(now);
  at.delayed_before = at.delayed_with(delayed);
  at.is_running = false;
}

double worker_clocks::read(int place) const {
  const clock& at = clocks_[static_cast<std::size_t>(place)];
  const lock_guard lock(at.mutex);
  return at.is_running ? at.with(platform_.cpu_seconds(at.who)) : at.before;
}

thread_times worker_clocks::read_times(int place) const {
  const clock& at = clocks_[static_cast<std::size_t>(place)];
  const lock_guard lock(at.mutex);
  if (!at.is_running) return {at.before, at.delayed_before};
  return {at.with(platform_.cpu_seconds(at.who)), at.delayed_with(delay(at.who))};
}

}  // namespace weir::detail

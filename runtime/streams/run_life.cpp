#include "runtime/streams/run_life.hpp"

#include <utility>

namespace weir::detail {

void run_life::close() {
  begin_work();
  closed_.store(true, std::memory_order_seq_cst);
  finish_work();
}

// REQUIRES: it is closed.
void run_life::ran_dry() {
  {
    const lock_guard lock(finishing_);
    if (drained_.load() || work_.load(std::memory_order_seq_cst) != 0) return;
    if (!is_stopping() && run_.finish_more()) return;
  }
  {
    const lock_guard lock(mutex_);
    if (drained_.load()) return;
    ended_at_.store(now());
    drained_.store(true);
    over_.notify_all();
  }
  run_.drained();
}

void run_life::wait_until_over() {
  unique_lock lock(mutex_);
  over_.wait(lock, [&] { return is_over(); });
}

void run_life::stop_locked() noexcept {
  if (!stopping_.load() && !drained_.load()) ended_at_.store(now());
  stopping_.store(true);
  over_.notify_all();  // also those that froze meanwhile
}

void run_life::begin_to_stop() noexcept {
  const lock_guard lock(mutex_);
  stop_locked();
}

bool run_life::begin_to_wake() noexcept {
  const lock_guard lock(mutex_);
  if (std::exchange(woke_, true)) return false;
  stop_locked();
  return true;
}

}  // namespace weir::detail

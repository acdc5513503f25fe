#include "runtime/machine/core_lease.hpp"

#include <cstddef>

namespace weir::detail {

// Whether nobody holds a core of the lease and nobody who waits before `me` (null: anybody) has asked for one.
bool core_ledger::free_for(const core_lease& s, const waiter* me) const {
  if (s.is_beside) return false;  // by a thread that came while this one was up
  for (const int core : s.cores)
    if (holder_[static_cast<std::size_t>(core)]) return false;
  for (const waiter& w : waiting_) {
    if (&w == me) break;
    if (!w.granted && w.wants->cores.intersects(s.cores)) return false;
  }
  return true;
}

void core_ledger::ask_to_leave(const core_lease& s) {
  for (const int core : s.cores)
    if (core_lease* holder = holder_[static_cast<std::size_t>(core)])
      holder->leave.store(true, std::memory_order_relaxed);
}

void core_ledger::enter(core_lease& s) {
  ++entered_;
  for (const int core : s.cores) holder_[static_cast<std::size_t>(core)] = &s;
  s.holding.fetch_add(1, std::memory_order_relaxed);
}

bool core_ledger::take(core_lease& s, const std::atomic<bool>& cancelled, bool even_if_revoked) noexcept {
  unique_lock lock(mutex_);
  const auto hopeless = [&] { return cancelled.load() || (!even_if_revoked && s.revoked.load()); };
  if (hopeless()) return false;
  if (free_for(s, nullptr)) {
    enter(s);
    return true;
  }
  waiter me{&s};
  waiting_.push_back(me);
  ask_to_leave(s);
  for (auto until = std::chrono::steady_clock::now() + patience; !me.granted && !hopeless();) {
    if (me.wake.wait_until(lock, until) || me.granted || hopeless()) continue;
    if (s.holding.load(std::memory_order_relaxed) == 0) {
      s.is_beside = true;
      break;
    }
    until += patience;
  }
  waiting_.erase(waiting_.iterator_to(me));
  if (me.granted) return true;  // serve() entered us as holder
  if (s.is_beside) {
    ++entered_;
    s.holding.fetch_add(1, std::memory_order_relaxed);
    s.leave.store(true, std::memory_order_relaxed);  // when its turn is over
  }
  serve();  // who waited behind this reservation may go now
  return s.is_beside;
}

bool core_ledger::take_if_free(core_lease& s) noexcept {
  const lock_guard lock(mutex_);
  if (s.revoked.load() || !free_for(s, nullptr)) return false;
  enter(s);
  return true;
}

void core_ledger::give_back(core_lease& s) noexcept {
  const lock_guard lock(mutex_);
  --entered_;
  // Only if it is: on a lease outside the cores, which never is, several threads look at that without the lock.
  if (s.is_beside)
    s.is_beside = false;
  else
    for (const int core : s.cores) holder_[static_cast<std::size_t>(core)] = nullptr;
  s.holding.fetch_sub(1, std::memory_order_relaxed);
  s.leave.store(false, std::memory_order_relaxed);
  serve();
}

void core_ledger::serve() {
  for (waiter& w : waiting_) {
    if (w.granted) continue;
    if (free_for(*w.wants, &w)) {
      enter(*w.wants);
      w.granted = true;
      w.wake.notify_one();
    } else {
      ask_to_leave(*w.wants);
    }
  }
}

int core_ledger::holders() const {
  const lock_guard lock(mutex_);
  return entered_;
}

void core_ledger::recheck() {
  const lock_guard lock(mutex_);
  for (waiter& w : waiting_) w.wake.notify_one();
}

}  // namespace weir::detail

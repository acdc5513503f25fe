#include "runtime/seat.hpp"

#include <cstddef>

namespace weir::detail {

// Whether nobody holds a core of the seat and nobody who waits before `me` (null: anybody) has asked for one.
bool core_ledger::free_for(const seat& s, const waiter* me) const {
  for (const int core : s.cores)
    if (holder_[static_cast<std::size_t>(core)]) return false;
  for (const waiter& w : waiting_) {
    if (&w == me) break;
    if (!w.granted && w.wants->cores.intersects(s.cores)) return false;
  }
  return true;
}

void core_ledger::ask_to_leave(const seat& s) {
  for (const int core : s.cores)
    if (seat* holder = holder_[static_cast<std::size_t>(core)]) holder->leave.store(true, std::memory_order_relaxed);
}

bool core_ledger::take(seat& s, const std::atomic<bool>& cancelled, bool even_if_revoked) noexcept {
  std::unique_lock lock(mutex_);
  const auto hopeless = [&] { return cancelled.load() || (!even_if_revoked && s.revoked.load()); };
  if (hopeless()) return false;
  if (!free_for(s, nullptr)) {
    waiter me{&s};
    waiting_.push_back(me);
    ask_to_leave(s);
    me.wake.wait(lock, [&] { return me.granted || hopeless(); });
    waiting_.erase(waiting_.iterator_to(me));
    if (!me.granted) {
      serve();  // who waited behind this reservation may go now
      return false;
    }
    return true;  // serve() entered us as holder
  }
  for (const int core : s.cores) holder_[static_cast<std::size_t>(core)] = &s;
  return true;
}

bool core_ledger::take_if_free(seat& s) noexcept {
  const std::lock_guard lock(mutex_);
  if (s.revoked.load() || !free_for(s, nullptr)) return false;
  for (const int core : s.cores) holder_[static_cast<std::size_t>(core)] = &s;
  return true;
}

void core_ledger::give_back(seat& s) noexcept {
  const std::lock_guard lock(mutex_);
  for (const int core : s.cores) holder_[static_cast<std::size_t>(core)] = nullptr;
  s.leave.store(false, std::memory_order_relaxed);
  serve();
}

void core_ledger::serve() {
  for (waiter& w : waiting_) {
    if (w.granted) continue;
    if (free_for(*w.wants, &w)) {
      for (const int core : w.wants->cores) holder_[static_cast<std::size_t>(core)] = w.wants;
      w.granted = true;
      w.wake.notify_one();
    } else {
      ask_to_leave(*w.wants);
    }
  }
}

int core_ledger::holders() const {
  const std::lock_guard lock(mutex_);
  int count = 0;
  for (std::size_t core = 0; core < holder_.size(); ++core)
    if (const seat* const s = holder_[core]) count += static_cast<std::size_t>(s->cores[0]) == core;
  return count;
}

void core_ledger::recheck() {
  const std::lock_guard lock(mutex_);
  for (waiter& w : waiting_) w.wake.notify_one();
}

}  // namespace weir::detail

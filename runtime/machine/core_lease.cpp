#include "runtime/machine/core_lease.hpp"

#include <cstddef>
#include <utility>

namespace weir::detail {

// Whether no core of the lease is held, and no waiter before `me` (null: no waiter at all) has asked for one of them.
bool core_ledger::free_for(const core_lease& s, const waiter* me) const {
  if (s.oversubscribes) return false;  // another thread has it, next to the holders of its cores
  for (const int core : s.cores)
    if (holder_[static_cast<std::size_t>(core)].by) return false;
  for (const waiter& w : waiting_) {
    if (&w == me) break;
    if (!w.granted && w.wants.cores.intersects(s.cores)) return false;
  }
  return true;
}

void core_ledger::tell_holders(const core_lease& s, bool leave) {
  for (const int core : s.cores)
    if (core_lease* holder = holder_[static_cast<std::size_t>(core)].by)
      holder->leave.store(leave, std::memory_order_relaxed);
}

void core_ledger::ask_to_leave(const waiter& w) {
  tell_holders(w.wants, true);
  if (!w.asks_others) return;
  for (const auto& other : w.others->leases)
    if (other->stands_in_for(w.wants) && !other->revoked.load()) tell_holders(*other, true);
}

bool core_ledger::are_holders_overdue(const core_lease& s) const {
  bool any = false;
  for (const int core : s.cores) {
    const core_lease* const holder = holder_[static_cast<std::size_t>(core)].by;
    if (holder && !holder->is_overdue) return false;
    any = any || holder;
  }
  return any;
}

std::uint64_t core_ledger::times_taken(const core_lease& s) const {
  std::uint64_t sum = 0;
  for (const int core : s.cores) sum += holder_[static_cast<std::size_t>(core)].times;
  return sum;
}

void core_ledger::note_overdue(const core_lease& s) {
  for (const int core : s.cores)
    if (core_lease* const holder = holder_[static_cast<std::size_t>(core)].by) holder->is_overdue = true;
}

void core_ledger::enter(core_lease& s) {
  ++entered_;
  s.holding.fetch_add(1, std::memory_order_relaxed);
  for (const int core : s.cores) {
    holding& held = holder_[static_cast<std::size_t>(core)];
    held.by = &s;
    ++held.times;
  }
}

void core_ledger::oversubscribe(core_lease& s) {
  ++entered_;
  s.holding.fetch_add(1, std::memory_order_relaxed);
  s.oversubscribes = true;
  s.leave.store(true, std::memory_order_relaxed);  // it releases the lease when its time slice is over
}

// Takes cores that it wants if they are free, or the place next to holders that are overdue.
core_lease* core_ledger::try_enter(const waiter& w, const waiter* me) {
  core_lease& s = w.wants;
  if (free_for(s, me)) {
    enter(s);
    return &s;
  }
  if (w.others)
    for (const auto& other : w.others->leases)
      if (other.get() != &s && other->stands_in_for(s) && !other->revoked.load() && free_for(*other, me)) {
        enter(*other);
        return other.get();
      }
  if (s.holding.load(std::memory_order_relaxed) != 0 || !are_holders_overdue(s)) return nullptr;
  oversubscribe(s);
  return &s;
}

bool core_ledger::take(core_lease& s, const threads::atomic<bool>& cancelled, bool even_if_revoked) noexcept {
  waiter me(s);
  return take(me, cancelled, even_if_revoked);
}

core_lease* core_ledger::take_any(core_lease& s, const lease_list* others) noexcept {
  static const threads::atomic<bool> never{false};
  waiter me(s, others);
  return take(me, others ? others->has_changed : never, true);
}

core_lease* core_ledger::take(waiter& me, const threads::atomic<bool>& cancelled, bool even_if_revoked) noexcept {
  core_lease& s = me.wants;
  unique_lock lock(mutex_);
  const auto hopeless = [&] { return cancelled.load() || (!even_if_revoked && s.revoked.load()); };
  if (hopeless()) return nullptr;
  if (core_lease* const free = try_enter(me, nullptr)) return free;
  waiting_.push_back(me);
  ask_to_leave(me);
  const bool has_others = me.others && me.others->leases.size() > 1;
  auto until = threads::clock::now() + (has_others ? brief_wait : patience);
  std::uint64_t taken = times_taken(s);
  while (!me.granted && !hopeless()) {
    if (me.wake.wait_until(lock, until) || me.granted || hopeless()) continue;
    until += patience;
    if (has_others && !std::exchange(me.asks_others, true)) {
      ask_to_leave(me);
      continue;
    }
    if (taken == times_taken(s)) note_overdue(s);
    taken = times_taken(s);
    if (s.holding.load(std::memory_order_relaxed) != 0) continue;
    oversubscribe(s);
    me.granted = &s;
  }
  waiting_.erase(waiting_.iterator_to(me));
  if (me.asks_others)  // it needs no more of them; the holder of `s` may have it next to itself
    for (const auto& other : me.others->leases)
      if (other.get() != &s) tell_holders(*other, false);
  serve();  // waiters behind this reservation may be served now, or next to holders that are overdue
  return me.granted;
}

bool core_ledger::take_if_free(core_lease& s) noexcept {
  const lock_guard lock(mutex_);
  if (s.revoked.load() || !free_for(s, nullptr)) return false;
  enter(s);
  return true;
}

bool core_ledger::take_more(core_lease& held, core_lease& s) noexcept {
  const lock_guard lock(mutex_);
  if (held.oversubscribes) return false;
  for (const int core : held.cores) holder_[static_cast<std::size_t>(core)].by = nullptr;
  const bool is_free = free_for(s, nullptr);
  for (const int core : held.cores) holder_[static_cast<std::size_t>(core)].by = &held;
  if (!is_free) return false;
  leave(held);
  enter(s);
  return true;
}

void core_ledger::keep_part(core_lease& s, core_lease& part) noexcept {
  const lock_guard lock(mutex_);
  const bool is_next_to_holders = s.oversubscribes;
  leave(s);
  if (is_next_to_holders)
    oversubscribe(part);
  else
    enter(part);
  serve();
}

void core_ledger::give_back(core_lease& s) noexcept {
  const lock_guard lock(mutex_);
  leave(s);
  serve();
}

void core_ledger::leave(core_lease& s) {
  --entered_;
  // Written only if it is set: on a lease outside the cores, where it never is, several threads read it without the
  // lock.
  if (s.oversubscribes) {
    s.oversubscribes = false;
  } else if (!s.cores.empty()) {
    s.is_overdue = false;
    for (const int core : s.cores) holder_[static_cast<std::size_t>(core)].by = nullptr;
  }
  s.holding.fetch_sub(1, std::memory_order_relaxed);
  s.leave.store(false, std::memory_order_relaxed);
}

void core_ledger::serve() {
  for (waiter& w : waiting_) {
    if (w.granted || !(w.granted = try_enter(w, &w))) continue;
    w.wake.notify_one();
  }
  for (const waiter& w : waiting_)
    if (!w.granted) ask_to_leave(w);
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

#include <algorithm>

#include "runtime/engine/group.hpp"
#include "runtime/engine/run_environment.hpp"
#include "runtime/engine/worker.hpp"
#include "runtime/threads/primitives.hpp"
#include "runtime/threads/this_thread.hpp"

// Which thread a group calls when it has work.
namespace weir::detail {

// Called with the lock held, after a region was listed (`brought`, if by this thread) or a lease became free. Releases
// the lock while it wakes a thread: on this core that thread may run immediately, and would have to wait for the lock.
void group::need_thread(unique_lock<group_mutex>& lock, const schedulable* brought) noexcept {
  if (ready_.empty() || !run_.outside.has_threads()) return;
  const bool is_one_free = std::any_of(leases_.begin(), leases_.end(), [](const place& p) { return p.users == 0; });
  if (!is_one_free) return;
  const bool is_sender = brought && !inside_call::any();
  const int near = is_sender ? core_of_sender(*brought) : -1;
  sleeper* chosen = near >= 0 ? parked_on(near) : parked_by_free_lease(is_sender);
  const bool wants_new = parked_.empty() || (near >= 0 && !chosen);
  if (wants_new && threads_ - blocked_ < static_cast<int>(leases_.size()) && !run_.life.is_stopping()) {
    const auto job = [](group& home, worker& me) { home.work(me); };
    if (run_.workers.start(near, job, *this)) {
      ++threads_;
      return;
    }
    if (threads_ - blocked_ == 0 && !run_.life.is_stopping()) run_.lacks_threads(name_);
  }
  if (parked_.empty()) return;
  if (!chosen) {
    chosen = &parked_.back();  // asleep for the longest: others run where it ran
    if (near >= 0) chosen->who.last_core = near;
  }
  chosen->called = true;
  parked_.erase(parked_.iterator_to(*chosen));
  worker& w = chosen->who;
  lock.unlock();
  w.wake.notify_one();
  if (near >= 0) threads::yield();  // else it waits until the sender sleeps or the sender's slice is over
  lock.lock();
}

void worker::wake_for_delegated() noexcept { home->wake_for_delegated(*this); }

void group::wake_for_delegated(worker& w) noexcept {
  const lock_guard lock(mutex_);
  const auto at = std::find_if(parked_.begin(), parked_.end(), [&](const sleeper& s) { return &s.who == &w; });
  if (at == parked_.end()) return;  // it checks for delegated invocations before it parks
  at->called = true;
  parked_.erase(at);
  w.wake.notify_one();
}

// The core of the sender that brings a record to this region, if the record should be served there; else -1. It should
// when the network is at rest and brief to its end, the sender comes seldom, and a lease on its core is free. That core
// is awake; waking another takes longer than all the rest, and the sender hardly notices.
int group::core_of_sender(const schedulable& brought) {
  if (!brief_.load(std::memory_order_relaxed) || ready_.size() > 1 || !brought.lets_senders_in()) return -1;
  const double now = run_.life.now();
  const bool seldom = is_seldom(now);
  sender_came(now);
  if (!seldom) return -1;
  const int here = run_.outside.current_core();
  return has_free_lease_on(here) ? here : -1;
}

group::sleeper* group::parked_on(int core) {
  const auto at =
      std::find_if(parked_.begin(), parked_.end(), [&](const sleeper& s) { return s.who.last_core == core; });
  return at != parked_.end() ? &*at : nullptr;
}

// A parked thread that would stay on its core; null when there is none. For a sender, if possible, one that leaves it
// its core: it is about to send more.
group::sleeper* group::parked_by_free_lease(bool for_sender) {
  const int here = for_sender ? run_.outside.current_core() : -1;
  sleeper* found = nullptr;
  for (const place& p : leases_) {
    if (p.users != 0) continue;
    if (sleeper* const s = parked_on(p.where->own_core())) {
      found = s;
      if (p.where->own_core() != here) break;
    }
  }
  return found;
}

bool group::has_free_lease_on(int core) const {
  return std::any_of(leases_.begin(), leases_.end(),
                     [&](const place& p) { return p.users == 0 && p.where->own_core() == core; });
}

}  // namespace weir::detail

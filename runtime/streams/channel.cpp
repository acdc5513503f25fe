#include "runtime/streams/channel.hpp"

#include <algorithm>

namespace weir::detail {

void space_available::register_waiter(schedulable& r) {
  const lock_guard lock(mutex_);
  if (std::find(names_.begin(), names_.end(), &r) == names_.end()) names_.push_back(&r);
  wanted_.store(true, std::memory_order_relaxed);
  threads::atomic_thread_fence(
      std::memory_order_seq_cst);  // pairs with notify(): registered before the caller looks again
}

void space_available::notify_now() {
  std::vector<schedulable*> names;
  {
    const lock_guard lock(mutex_);
    names.swap(names_);
    // relaxed: a reader that still sees the older value notifies once too often; later waiters register under the lock.
    wanted_.store(!sleepers_.empty(), std::memory_order_relaxed);
    wake_some();
  }
  for (schedulable* r : names) r->wake_worker_to_deliver();
}

void space_available::wake_some() {
  constexpr int most_woken = 4;
  for (sleeper& s : sleepers_) {
    if (count_woken_ == most_woken) return;
    if (s.is_woken || !s.has_room(s.of)) continue;
    s.is_woken = true;
    ++count_woken_;
    s.woken.notify_one();
  }
}

}  // namespace weir::detail

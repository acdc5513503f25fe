#pragma once

#include <algorithm>
#include <boost/intrusive/list.hpp>

#include "runtime/engine/worker.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The threads of a group that wait until they are woken. Under the group's lock.
class parked_threads {
 public:
  // On the stack of the thread that waits: waiting takes no memory.
  struct parked : boost::intrusive::list_base_hook<> {
    explicit parked(worker& w) : who(w) {}
    worker& who;
    bool woken = false;  // and no longer here: it was woken for one region, and not for a second
  };

  // Parks the calling thread until it is woken, or `is_over`.
  template <class Lock, class IsOver>
  void park(worker& w, Lock& lock, IsOver is_over) {
    parked me(w);
    all_.push_front(me);
    w.wake.wait(lock, [&] { return me.woken || is_over(); });
    if (!me.woken) all_.erase(all_.iterator_to(me));
  }

  bool is_empty() const { return all_.empty(); }
  parked& longest() { return all_.back(); }  // REQUIRES: not empty
  // A thread that was on this core, or the thread of this worker; null: it is not parked.
  parked* on(int core) {
    return find([&](const parked& p) { return p.who.last_core == core; });
  }
  parked* of(const worker& w) {
    return find([&](const parked& p) { return &p.who == &w; });
  }

  // Takes the thread off the list, and returns it for its `wake` to be notified.
  worker& wake(parked& chosen) {
    chosen.woken = true;
    all_.erase(all_.iterator_to(chosen));
    return chosen.who;
  }
  // All look whether to wait on.
  void wake_all() {
    for (parked& p : all_) p.who.wake.notify_one();
  }

 private:
  template <class Is>
  parked* find(const Is& is) {
    const auto at = std::find_if(all_.begin(), all_.end(), is);
    return at != all_.end() ? &*at : nullptr;
  }

  boost::intrusive::list<parked> all_{};  // the last to park is first
};

}  // namespace weir::detail

#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/streams/blocked_time.hpp"
#include "runtime/streams/schedulable.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

struct record_body;

// Where a stream's writers wait while it is full. Threads block; regions, which hold no thread, register.
//
// No wake-up is lost: a writer sets wanted_ and then looks for room again; the reader makes room and then reads
// wanted_. A sequentially consistent fence stands between the two steps on both sides, so one of the two sees the
// other. The fences of register_waiter() and wait() pair with the one of notify(). A sequentially consistent store
// would not do: the read after it may still be done before it. A model of this, with one sleeper, is in
// tests/concurrency.
class space_available {
 public:
  // For a region that found no room: it is scheduled when there is some. The caller looks for room again after this
  // call. Throws std::bad_alloc.
  void register_waiter(schedulable& r);

  // For a thread: waits until has_room(), which is called under this lock by any thread, must not throw, and also holds
  // when the wait is cancelled.
  template <class HasRoom>
  void wait(HasRoom has_room) {
    unique_lock lock(mutex_);
    sleeper me([](void* of) { return (*static_cast<HasRoom*>(of))(); }, &has_room);
    sleepers_.push_back(me);
    wanted_.store(true, std::memory_order_relaxed);
    threads::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with notify()
    bool was_woken = false;
    while (!has_room()) {
      if (was_woken) wake_some();
      me.woken.wait(lock, [&] { return me.is_woken; });
      was_woken = true;
      me.is_woken = false;
      --count_woken_;
    }
    sleepers_.erase(sleepers_.iterator_to(me));
    if (was_woken) wake_some();
  }

  // By the reader, after it has made room.
  void notify() {
    threads::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with register_waiter() and wait()
    if (wanted_.load(std::memory_order_relaxed)) notify_now();
  }
  void notify_now();

 private:
  threads::atomic<bool> wanted_{false};  // written under mutex_, ordered by the fences
  WEIR_LOCK(space) mutex_;
  // A thread that waits. A notification wakes a few threads whose condition holds, and each wakes others when it has
  // checked again: all would mostly find that another has taken the room.
  struct sleeper : boost::intrusive::list_base_hook<> {
    sleeper(bool (*h)(void*), void* o) : has_room(h), of(o) {}
    bool (*const has_room)(void*);
    void* const of;
    bool is_woken = false;
    condition woken;
  };
  void wake_some() WEIR_REQUIRES(mutex_);
  boost::intrusive::list<sleeper> sleepers_ WEIR_GUARDED_BY(mutex_);  // in the order in which they came
  int count_woken_ WEIR_GUARDED_BY(mutex_) = 0;                       // of these, who have not looked again yet
  std::vector<schedulable*> names_ WEIR_GUARDED_BY(mutex_);
};

// Where a region's output goes: another region's inlet, or the results. Any thread may write.
class channel {
 public:
  virtual ~channel() = default;

  // Takes as many records as there is room for, from the first on, wakes the reader, and returns how many it took.
  // Throws std::bad_alloc, having taken none.
  virtual std::size_t push(record_body* const* records, std::size_t count) = 0;
  virtual bool has_room() const = 0;
  // The region that reads it and may be run to make room; null: there is none.
  virtual schedulable* reader() { return nullptr; }
  space_available space;
  blocked_time blocked;
};

// An outgoing record: one that leaves a region.
struct outgoing_record {
  channel* to;
  record_body* what;
};

}  // namespace weir::detail

#pragma once

#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <vector>

#include "runtime/blocked_time.hpp"
#include "runtime/locks.hpp"
#include "runtime/record.hpp"
#include "runtime/stream_end.hpp"

namespace weir::detail {

class region;

// Where a stream's writers wait while it is full. Threads block; regions, which hold no thread, leave their name.
//
// No wake-up is lost: a writer announces itself in wanted_ and then looks for room again; the reader makes room and
// then looks at wanted_. A sequentially consistent fence stands between the two steps on both sides, so one of the two
// sees the other: the fences of leave_name and wait pair with the one of ring. A store that is itself sequentially
// consistent would not do: the look behind it may still be done before it. tests/concurrency has a model of this.
class room_bell {
 public:
  // For a region that found no room: it is scheduled when there is some. The caller looks again after this call. Throws
  // std::bad_alloc.
  void leave_name(region& r);

  // For a thread: waits until has_room() or cancelled(). Both are called under this bell's lock.
  template <class HasRoom>
  void wait(HasRoom has_room) {
    unique_lock lock(mutex_);
    ++sleepers_;
    wanted_.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with ring()
    woken_.wait(lock, has_room);
    --sleepers_;
  }

  // By the reader after it made room.
  void ring() {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with leave_name() and wait()
    if (wanted_.load(std::memory_order_relaxed)) ring_now();
  }
  void ring_now();

 private:
  std::atomic<bool> wanted_{false};  // written under mutex_, ordered by the fences
  WEIR_LOCK(bell) mutex_;
  condition woken_;
  int sleepers_ = 0;
  std::vector<region*> names_;
};

// Where a region's output goes: another region's inlet, or the results. Writers may be any threads.
class channel {
 public:
  virtual ~channel() = default;

  // Takes as many records, from the first on, as there is room for, wakes the reader, and returns how many it took.
  // Throws std::bad_alloc, having taken none.
  virtual std::size_t push(record_body* const* records, std::size_t count) = 0;
  virtual bool has_room() const = 0;
  room_bell room;
  blocked_time blocked;
};

// A bounded FIFO of records between a writer at a time and a reader at a time, lock-free between the two. The limit may
// be lowered below the physical capacity and changes while it runs. Its memory is taken when it is opened: most stages
// run fused to others and never need theirs.
//
// The ring's own indices hand the records over: what push stores with release pairs with the acquire in pop, and the
// other way round for places that are free again. All other numbers here are relaxed: they order nothing.
class stream {
 public:
  stream(run_state& run, std::size_t physical) : physical_(physical), limit_(physical), came_(run), left_(run) {}
  ~stream() { delete ring_.load(std::memory_order_relaxed); }  // nobody else is left
  stream(const stream&) = delete;

  // Before the first record. By one thread at a time. release pairs with the acquire in ring().
  void open() {
    if (!ring_.load(std::memory_order_relaxed)) ring_.store(new ring_type(physical_), std::memory_order_release);
  }

  // By one writer at a time. REQUIRES: open() was called.
  std::size_t push(record_body* const* records, std::size_t count) {
    const std::size_t waiting = size();
    const std::size_t limit = limit_.load(std::memory_order_relaxed);
    const std::size_t room = waiting < limit ? limit - waiting : 0;
    const std::size_t taken = count < room ? count : room;
    came_.pass(taken);  // before the reader may have them
    ring()->push(records, taken);
    if (waiting + taken > peak_.load(std::memory_order_relaxed))
      peak_.store(waiting + taken, std::memory_order_relaxed);
    return taken;
  }

  // By one reader at a time.
  std::size_t pop(record_body** into, std::size_t most) {
    ring_type* const from = ring();
    if (!from) return 0;
    const std::size_t taken = from->pop(into, most);
    left_.pass(taken);
    return taken;
  }

  // By anyone; exact only for writer and reader themselves.
  std::size_t size() const {
    const ring_type* const r = ring();
    return r ? physical_ - r->write_available() : 0;
  }
  bool has_room() const { return size() < limit(); }
  std::size_t limit() const { return limit_.load(std::memory_order_relaxed); }
  std::size_t physical() const { return physical_; }
  std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }
  std::uint64_t popped() const { return left_.count(); }
  const stream_end& came() const { return came_; }
  const stream_end& left() const { return left_; }
  stream_end& left() { return left_; }

  void set_limit(std::size_t limit) {
    limit_.store(limit < 1 ? 1 : limit < physical_ ? limit : physical_, std::memory_order_relaxed);
  }

 private:
  using ring_type = boost::lockfree::spsc_queue<record_body*>;
  ring_type* ring() const { return ring_.load(std::memory_order_acquire); }

  std::atomic<ring_type*> ring_{nullptr};
  const std::size_t physical_;
  std::atomic<std::size_t> limit_;  // who widens it rings the bell
  // The writer's and the reader's, who are on different cores.
  alignas(64) std::atomic<std::size_t> peak_{0};
  stream_end came_;
  alignas(64) stream_end left_;
};

}  // namespace weir::detail

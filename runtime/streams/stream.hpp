#pragma once

#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>

#include <weir/threads/primitives.hpp>
#include "runtime/streams/stream_end.hpp"

namespace weir::detail {

struct record_body;

// A bounded FIFO of records, lock-free between one writer at a time and one reader at a time. Its limit may be below
// the physical capacity, and may change while the run goes on. Its memory is allocated when it is opened: most entities
// run fused to others and never need theirs.
//
// The buffer's own indices hand the records over: the release store of push pairs with the acquire in pop, and vice
// versa for places that are free again. All other numbers here are relaxed: they order nothing.
class stream {
 public:
  stream(stream_monitor& monitor, std::size_t physical)
      : physical_(physical), limit_(physical), arrivals_(monitor), left_(monitor) {}
  ~stream() { delete ring_.load(std::memory_order_relaxed); }  // no other thread is left
  stream(const stream&) = delete;

  // Before the first record, by one thread at a time. release pairs with the acquire in ring().
  void open() {
    if (!ring_.load(std::memory_order_relaxed)) ring_.store(new ring_type(physical_), std::memory_order_release);
  }

  // By one writer at a time. REQUIRES: open() was called.
  std::size_t push(record_body* const* records, std::size_t count) {
    const std::size_t waiting = size();
    const std::size_t limit = limit_.load(std::memory_order_relaxed);
    const std::size_t room = waiting < limit ? limit - waiting : 0;
    const std::size_t taken = count < room ? count : room;
    arrivals_.pass(taken);  // before the reader may have them
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

  // Any thread may ask; the answers are exact only for the writer and the reader.
  std::size_t size() const {
    const ring_type* const r = ring();
    return r ? physical_ - r->write_available() : 0;
  }
  bool has_room() const { return size() < limit(); }
  std::size_t limit() const { return limit_.load(std::memory_order_relaxed); }
  std::size_t physical() const { return physical_; }
  std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }
  std::uint64_t popped() const { return left_.count(); }
  const stream_end& arrivals() const { return arrivals_; }
  const stream_end& left() const { return left_; }
  stream_end& left() { return left_; }

  void set_limit(std::size_t limit) {
    limit_.store(limit < 1 ? 1 : limit < physical_ ? limit : physical_, std::memory_order_relaxed);
  }

 private:
  using ring_type = boost::lockfree::spsc_queue<record_body*>;
  ring_type* ring() const { return ring_.load(std::memory_order_acquire); }

  threads::atomic<ring_type*> ring_{nullptr};
  const std::size_t physical_;
  threads::atomic<std::size_t> limit_;  // a thread that raises it notifies writers
  // The writer's and the reader's members are on cache lines of their own, since the two run on different cores.
  alignas(64) threads::atomic<std::size_t> peak_{0};
  stream_end arrivals_;
  alignas(64) stream_end left_;
};

}  // namespace weir::detail

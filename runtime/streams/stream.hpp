#pragma once

#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>

#include "runtime/streams/stream_end.hpp"

namespace weir::detail {

struct record_body;

// A bounded FIFO of records between a writer at a time and a reader at a time, lock-free between the two. The limit may
// be lowered below the physical capacity and changes while it runs. Its memory is taken when it is opened: most stages
// run fused to others and never need theirs.
//
// The ring's own indices hand the records over: what push stores with release pairs with the acquire in pop, and the
// other way round for places that are free again. All other numbers here are relaxed: they order nothing.
class stream {
 public:
  stream(stream_monitor& monitor, std::size_t physical)
      : physical_(physical), limit_(physical), came_(monitor), left_(monitor) {}
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
  std::atomic<std::size_t> limit_;  // who widens it notifies
  // The writer's and the reader's, who are on different cores.
  alignas(64) std::atomic<std::size_t> peak_{0};
  stream_end came_;
  alignas(64) stream_end left_;
};

}  // namespace weir::detail

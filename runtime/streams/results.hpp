#pragma once

#include <utility>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/streams/channel.hpp"
#include "runtime/streams/in_flight_limit.hpp"
#include "runtime/streams/stream_end.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The stream of results. It is bounded while they are read by a thread that does not also send; else it keeps
// everything, so that sending all and reading it afterwards never deadlocks. While it is bounded, results keep their
// places in flight until they are taken. Thread-safe; read by one thread.
class alignas(64) results final : public channel {
 public:
  // capacity: the bound, where there is one. always_bounded: the user asked for the bound.
  results(stream_monitor& monitor, const in_flight_limit& in_flight, std::size_t capacity, bool always_bounded)
      : in_flight_(in_flight), capacity_(capacity), bounded_(always_bounded), arrivals_(monitor), left_(monitor) {}

  std::size_t push(record_body* const* records, std::size_t count) override;
  bool has_room() const override;
  bool is_idle() const;  // nothing waits to be read

  // By the reader: takes all results, in order; `into` comes back empty when there are none.
  void take(std::vector<record_body*>& into);
  // Waits until there is a result or over() holds. over() is called under the lock; a thread that makes it true calls
  // wake().
  template <class Over>
  void wait(Over over) {
    unique_lock lock(mutex_);
    waiting_ = true;
    arrived_.wait(lock, [&]() WEIR_NOT_ANALYSED { return !kept_.empty() || over(); });
    waiting_ = false;
  }
  void wake();
  void set_bounded(bool bounded);  // lifting it wakes writers that wait for room. REQUIRES: no lock is held

  std::uint64_t pushed() const { return arrivals_.count(); }
  std::size_t waiting() const { return count_.load(std::memory_order_relaxed); }
  std::pair<stream_end::snapshot, stream_end::snapshot> arrivals_and_departures() const;
  std::size_t peak() const;
  std::size_t capacity() const { return capacity_; }
  bool bounded() const;

 private:
  std::size_t keep(record_body* const* records, std::size_t count) WEIR_REQUIRES(mutex_);
  void leave_network(record_body& r) noexcept WEIR_REQUIRES(mutex_);
  void note_count() WEIR_REQUIRES(mutex_) { count_.store(kept_.size(), std::memory_order_release); }

  const in_flight_limit& in_flight_;
  const std::size_t capacity_;
  threads::atomic<std::size_t> count_{0};  // a copy of kept_.size(), to read without the lock. The lock hands over the
                                           // results; release and acquire order this number only
  mutable WEIR_LOCK(results) mutex_;
  condition arrived_;
  threads::atomic<bool> bounded_;
  bool waiting_ WEIR_GUARDED_BY(mutex_) = false;
  bool has_places_ WEIR_GUARDED_BY(mutex_) = false;  // some of kept_ are in flight
  std::vector<record_body*> kept_ WEIR_GUARDED_BY(mutex_);
  stream_end arrivals_, left_;
  std::size_t peak_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::detail

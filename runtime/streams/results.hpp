#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "runtime/streams/channel.hpp"
#include "runtime/streams/stream_end.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The stream of results. Bounded while somebody reads who is not also the one that sends; else it keeps everything, so
// that sending all and reading it afterwards never deadlocks. Thread-safe; read by one thread.
class results final : public channel {
 public:
  // capacity: when bounded. always_bounded: the user said so.
  results(stream_monitor& monitor, std::size_t capacity, bool always_bounded)
      : capacity_(capacity), bounded_(always_bounded), came_(monitor), left_(monitor) {}

  std::size_t push(record_body* const* records, std::size_t count) override;
  bool has_room() const override;
  bool is_idle() const;  // nothing waits to be read

  // The reader's: everything there is, in order; `into` comes back empty when there is nothing.
  void take(std::vector<record_body*>& into);
  // Waits until there is a result or over() holds. over is called under the lock; who makes it true calls wake().
  template <class Over>
  void wait(Over over) {
    unique_lock lock(mutex_);
    waiting_ = true;
    arrived_.wait(lock, [&] { return !kept_.empty() || over(); });
    waiting_ = false;
  }
  void wake();
  void set_bounded(bool bounded);  // lifting the bound wakes who waits for room. REQUIRES: no lock is held

  std::uint64_t pushed() const { return came_.count(); }
  std::pair<stream_end::reading, stream_end::reading> came_and_left() const;
  std::size_t peak() const;
  std::size_t capacity() const { return capacity_; }
  bool bounded() const;

 private:
  void note_count() { count_.store(kept_.size(), std::memory_order_release); }

  const std::size_t capacity_;
  std::atomic<std::size_t> count_{0};  // a copy of kept_.size(), to look at without the lock, which hands over what is
                                       // kept; release and acquire order no more than the number
  mutable WEIR_LOCK(results) mutex_;
  condition arrived_;
  std::atomic<bool> bounded_;
  bool waiting_ = false;
  std::vector<record_body*> kept_;
  stream_end came_, left_;
  std::size_t peak_ = 0;
};

}  // namespace weir::detail

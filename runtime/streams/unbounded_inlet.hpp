#pragma once

#include <boost/circular_buffer.hpp>
#include <functional>
#include <utility>

#include <weir/threads/primitives.hpp>
#include "runtime/streams/channel.hpp"
#include "runtime/streams/error_site.hpp"
#include "runtime/streams/stream_end.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The second inlet of some regions, which always has room. It is for records that must not wait for room, since room
// may come only once they have gone on. These come back from a star's stage or a feedback's body, or are let out by an
// ordered network. The README says what bounds each. Served before the region's stream. Thread-safe.
class unbounded_inlet final : public channel {
 public:
  // most: the records that it may hold; one more ends with an error.
  unbounded_inlet(stream_monitor& monitor, schedulable& into, error_site& entry, std::size_t most)
      : into_(into), entry_(entry), most_(most), arrivals_(monitor), left_(monitor) {}

  // Before the run starts: `taken` is called whenever some records were taken.
  void set_taken(std::function<void()> taken) { taken_ = std::move(taken); }

  std::size_t push(record_body* const* records, std::size_t count) override;  // takes all of them
  bool has_room() const override { return true; }
  bool is_idle() const { return size() == 0; }

  std::size_t pop(record_body** into, std::size_t most);
  std::size_t size() const { return count_.load(std::memory_order_acquire); }
  std::size_t peak() const;
  std::uint64_t popped() const { return left_.count(); }
  std::pair<stream_end::snapshot, stream_end::snapshot> arrivals_and_departures() const;
  stream_end& left() { return left_; }

 private:
  schedulable& into_;
  error_site& entry_;
  const std::size_t most_;
  std::function<void()> taken_;
  threads::atomic<std::size_t> count_{0};  // a copy of kept_.size(), to read without the lock. The lock hands over the
                                           // records; the fences around attended_ see to it that none is forgotten
  mutable WEIR_LOCK(inlet) mutex_;
  boost::circular_buffer<record_body*> kept_ WEIR_GUARDED_BY(mutex_);  // grows, and keeps its memory
  std::size_t peak_ WEIR_GUARDED_BY(mutex_) = 0;
  stream_end arrivals_, left_;
};

}  // namespace weir::detail

#pragma once

#include <cstdint>
#include <utility>

#include <weir/record/record.hpp>
#include <weir/scheduler/view/held_function.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/streams/blocked_time.hpp"
#include "runtime/streams/run_life.hpp"

namespace weir::detail {

// The one label of the records that let the states of folds finish, and of those that carry others. No label of a
// user's has a space.
inline constexpr const char *end_of_input = "end of input", *batch_of_records = "batch of records";

class channel;

// Watches the streams of a run (option monitor): when records pass, how many bytes they have, and how long a full
// stream keeps its writers waiting. Thread-safe.
class stream_monitor {
 public:
  using size_function = held_function<std::uint64_t(const record&)>;
  // Without a `size`, bytes are unknown.
  stream_monitor(const run_life& life, run_owner& run, bool watches, size_function size)
      : life_(life), run_(run), watches_(watches), size_(std::move(size)) {}

  bool watches() const { return watches_; }
  bool measures_bytes() const { return watches_ && size_; }
  double time() const { return life_.time(); }
  // NaN: the size function threw. 0 for records of the run's own: what starts an initialiser, and the above.
  double bytes_of(record_body* r) noexcept;
  std::uint64_t whole_bytes_of(record_body* r) noexcept;  // 2^62 at most; 0: it threw

  // A writer waits while this exists, since a stream is full or as many records as allowed are in flight.
  class blocked_writer {
   public:
    blocked_writer(const stream_monitor& by, blocked_time& counted) : by_(by), counted_(counted) {
      counted_.begin(by_.time());
    }
    ~blocked_writer() { counted_.end(by_.time()); }
    blocked_writer(const blocked_writer&) = delete;

   private:
    const stream_monitor& by_;
    blocked_time& counted_;
  };

 private:
  const run_life& life_;
  run_owner& run_;
  const bool watches_;
  const size_function size_;
  threads::atomic<bool> size_threw_{false};
};

}  // namespace weir::detail

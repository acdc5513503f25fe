#pragma once

#include <cstdint>
#include <utility>

#include "runtime/record/record.hpp"
#include "runtime/streams/run_life.hpp"
#include "runtime/threads/primitives.hpp"
#include "scheduler/view/held_function.hpp"

namespace weir::detail {

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
  double bytes_of(record_body* r) noexcept;  // NaN: the size function threw
  std::uint64_t whole_bytes_of(record_body* r) noexcept;  // 2^62 at most; 0: it threw

  // A writer begins to wait because the stream is full, or ceases to.
  void begin_blocked(channel& full) const;
  void end_blocked(channel& full) const;

  // A writer waits while this exists.
  class blocked_writer {
   public:
    blocked_writer(const stream_monitor& by, channel& full) : by_(by), full_(full) { by_.begin_blocked(full_); }
    ~blocked_writer() { by_.end_blocked(full_); }
    blocked_writer(const blocked_writer&) = delete;

   private:
    const stream_monitor& by_;
    channel& full_;
  };

 private:
  const run_life& life_;
  run_owner& run_;
  const bool watches_;
  const size_function size_;
  threads::atomic<bool> size_threw_{false};
};

}  // namespace weir::detail

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/streams/channel.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The batches that a region takes, each under a ticket, and their outputs, which leave in the order of the tickets. Up
// to `lanes` batches run at the same time, and few have outputs that wait for their turn. At most one thread delivers:
// it puts out the outputs whose turn it is, then passes the turn. Outputs without room are *stuck*: they keep their
// turn until a thread takes them. Thread-safe.
class ordered_delivery {
 public:
  explicit ordered_delivery(const threads::atomic<int>& lanes) : lanes_(lanes) {}

  using outputs = std::vector<outgoing_record>;

  struct ticket {
    std::uint64_t number;
    std::uint64_t first_record;  // of all that the region has taken, the number of the batch's first
  };

  // Begins a batch, unless outputs are stuck, the region is held, or the lanes are busy. `take` is called under the
  // lock, in the order of the tickets, and returns how many records it took; if none, no batch begins.
  template <class Take>
  std::optional<ticket> begin(Take take) {
    const lock_guard lock(mutex_);
    if (!stuck_.empty() || !may_begin()) return std::nullopt;
    const std::size_t count = take();
    if (count == 0) return std::nullopt;
    ++active_;
    return ticket{begun_++, std::exchange(records_begun_, records_begun_ + count)};
  }

  enum class ending {
    delivers,       // the caller is to put out these outputs, then to pass the turn
    waits,          // the outputs are kept until their turn
    without_memory  // nothing is kept
  };
  ending finish(std::uint64_t number, outputs& out) noexcept;

  // By the thread that delivers, when all of its outputs have left: fills `out` with those of the next ticket. False
  // when that batch is not finished: the thread then no longer delivers.
  bool pass_turn(outputs& out) noexcept;
  // By that thread: stops delivering and keeps the turn, so no later batch ever leaves.
  void stop_delivering() noexcept;

  // By that thread: stops delivering, since there is no room for the rest of its outputs.
  void keep_stuck(outputs& out) noexcept;
  // The stuck outputs, which the caller is to deliver; else an empty buffer. `buffer`: the memory for later ones.
  outputs take_stuck(outputs buffer) noexcept;
  bool is_stuck() const { return is_stuck_.load(std::memory_order_relaxed); }  // a hint

  enum class task { none, begin, deliver };
  task possible_task() const;

  bool has_turn(std::uint64_t number) const { return turn_.load(std::memory_order_acquire) == number; }
  // Waits for a turn to pass, or for wake_waiters(), until `holds`, which is called under the lock.
  void wait_until(const std::function<bool()>& holds);
  void wake_waiters();

  // While held, no batch begins; finished ones still leave.
  void hold();
  void release();
  bool is_held() const { return is_held_.load(std::memory_order_relaxed); }  // a hint
  // Around a rest within a batch: it does not count as running. False: nothing is held.
  bool rest_if_held();
  void end_rest();

  // No batch runs, and no outputs are kept. Stays true while held.
  bool is_quiet() const;

  // Outputs that are kept, and what `more` adds to them under the same lock.
  template <class More>
  std::size_t pending(More more) const {
    const lock_guard lock(mutex_);
    std::size_t count = stuck_.size() + more();
    for (const auto& [number, out] : finished_) count += out.size();
    return count;
  }
  // Reads what `take` of begin() writes.
  template <class Read>
  auto read(Read read_it) const {
    const lock_guard lock(mutex_);
    return read_it();
  }

  // Drops the outputs that it keeps; returns how many. REQUIRES: no batch runs.
  std::size_t drop_all();

 private:
  bool may_begin() const;
  void note_empty(std::uint64_t number);  // throws std::bad_alloc, having noted nothing

  const threads::atomic<int>& lanes_;  // read under the lock: after a rest no batch begins by an earlier, larger number
  mutable WEIR_LOCK(region) mutex_;
  int active_ = 0;           // batches that run
  bool delivering_ = false;  // a thread puts out the outputs whose turn it is
  // These two are written under the lock, and are read without it as well. Relaxed: a thread that keeps stuck outputs
  // looks for room afterwards, and a thread that releases wakes a worker.
  threads::atomic<bool> is_held_{false}, is_stuck_{false};
  std::uint64_t begun_ = 0, records_begun_ = 0;
  // The ticket whose outputs may leave. Written under the lock; the release pairs with has_turn().
  threads::atomic<std::uint64_t> turn_{0};
  std::map<std::uint64_t, outputs> finished_;          // of batches whose turn has not come
  std::vector<decltype(finished_)::node_type> spare_;  // nodes of earlier ones, kept for their memory
  struct interval {
    std::uint64_t first, end;
  };
  std::vector<interval> empty_;  // finished batches without outputs whose turn has not come, in order; none adjoin
  std::uint64_t empties_ = 0;    // how many these are
  outputs stuck_;
  condition turn_passed_;
  int turn_waiters_ = 0;
};

}  // namespace weir::detail

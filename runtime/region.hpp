#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "runtime/stream.hpp"

namespace weir::detail {

class group;
class run_state;
class stage;
struct worker;

// A record on its way out of a region.
struct parcel {
  channel* to;
  record_body* what;
};

// A stretch of the network that runs as one: a bounded inlet, and behind it a stage with those that are fused to it and
// run inline. The unit that workers pick up: one *activation* takes a few records from the inlet, runs them through, and
// puts what comes out into the streams behind.
//
// Up to limit() activations run at once. Each batch taken carries a ticket, and outputs leave in the order of the
// tickets, so a region emits in the order of its inputs at any width. A full stream behind it does not hold a thread:
// the region keeps the rest and is scheduled again when there is room; only a box in the middle of emitting must wait.
class region final : public channel {
 public:
  region(run_state& run, stage& head, std::size_t physical_capacity);

  // channel: into the inlet. Serialised among writers here, since there may be several.
  std::size_t push(record_body* const* records, std::size_t count) override;
  bool has_room() const override { return inlet_.has_room(); }
  bool is_idle() const override { return inlet_.size() == 0; }

  // One activation, if there is anything to do that may be done now. Called by the worker that took this region off its
  // group's list, once for each time it was on it.
  void activate(worker& w);

  // While held, no new batch is taken; outputs still drain. A held region counts as work in the run.
  void hold();
  void release();

  // Nothing runs, nothing is kept: what was taken has left. Under hold this stays true.
  bool is_quiet() const;

  // An activation is running, and what waits in the inlet is less than it would take next.
  bool is_enough_for_one() const {
    return active_.load(std::memory_order_relaxed) > 0 && inlet_.size() < batch_.load(std::memory_order_relaxed);
  }

  // Records it holds: those that wait in the inlet, and outputs that could not leave yet.
  std::size_t kept() const;

  // Drops everything it holds; returns how many records. REQUIRES: no worker runs.
  std::size_t drop_all();

  stage& head() const { return head_; }
  stream& inlet() { return inlet_; }
  const stream& inlet() const { return inlet_; }
  int limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(int lanes) { limit_.store(lanes, std::memory_order_relaxed); }
  void set_batch(std::size_t records) { batch_.store(records, std::memory_order_relaxed); }

  static constexpr std::size_t largest_batch = 64;  // beyond it a hand-over costs under a nanosecond a record already

  // For context: outputs of the batch with this ticket.
  bool has_turn(std::uint64_t ticket) const { return turn_.load(std::memory_order_acquire) == ticket; }
  void wait_for_turn(std::uint64_t ticket);  // returns early when the run stops
  void wake_turn_waiters();

  std::atomic<group*> home{nullptr};  // whose workers run it; changed under the old home's lock
  std::atomic<bool> queued{false};    // on its home's list; set by whoever puts it there

 private:
  // Puts out what it can, in order, and removes it; true when nothing is left.
  bool flush(std::vector<parcel>& out);
  void finish(std::uint64_t ticket, std::vector<parcel>& out);
  void deliver_in_turn(std::vector<parcel>& out);
  std::uint64_t window() const;

  run_state& run_;
  stage& head_;
  stream inlet_;
  std::mutex writers_;

  std::atomic<int> limit_{1};
  std::atomic<std::size_t> batch_{1};

  mutable std::mutex mutex_;
  std::atomic<int> active_{0};  // written under mutex_
  bool held_ = false;
  bool delivering_ = false;         // someone is putting out the outputs whose turn it is
  std::uint64_t taken_ = 0;         // tickets given out
  std::atomic<std::uint64_t> turn_{0};  // the ticket whose outputs may leave; written under mutex_, release pairs with has_turn
  std::map<std::uint64_t, std::vector<parcel>> finished_;  // outputs of batches whose turn has not come
  std::vector<parcel> stuck_;       // outputs whose turn it is and that found no room
  std::condition_variable turn_passed_;
  int turn_waiters_ = 0;

  friend class context;
};

}  // namespace weir::detail

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/streams/channel.hpp"
#include "runtime/streams/entity.hpp"
#include "runtime/streams/schedulable.hpp"
#include "runtime/streams/stream.hpp"
#include "runtime/streams/unbounded_inlet.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class context;
struct run_environment;
class stage;
struct worker;

// A stretch of the network that runs as one: a bounded inlet, and behind it a stage with those that are fused to it and
// run inline. The unit that workers pick up: one *activation* takes a few records from the inlet, runs them through,
// and puts what comes out into the streams behind.
//
// Up to limit() activations run at once. Each batch taken carries a ticket, and outputs leave in the order of the
// tickets, so a region emits in the order of its inputs at any width. A full stream behind it does not hold a thread:
// the region keeps the rest and is scheduled again when there is room; only a box in the middle of emitting must wait.
class region final : public channel, public schedulable {
 public:
  region(run_environment& run, stage& head, std::size_t physical_capacity);

  // channel: into the inlet. Serialised among writers here, since there may be several.
  std::size_t push(record_body* const* records, std::size_t count) override;
  bool has_room() const override { return inlet_.has_room(); }

  // Runs activations until there is nothing to do or the worker is needed elsewhere, then looks for the next record for
  // about 5 us before it turns away.
  void attend(worker& w) noexcept override;

  // The same by a sender's own thread, or by a worker inside an invocation: one activation, and what is left is for
  // workers.
  void attend_once(worker& w) noexcept override;

  // What a worker does whose invocation waits for room here, rather than leave its cores to another: one activation on
  // its own stack, and what is brief where its output goes, while that is in its cache. False when there is nothing
  // that may be done now, when others do it, or when it keeps others waiting.
  bool help(worker& w) noexcept;
  // What it does when there is nothing to help with: for a moment, whoever runs this region may make room soon.
  void await_room(const worker& w) const;

  // Whether some worker looks after it. A glance: no order.
  bool is_attended() const { return attended_.load(std::memory_order_relaxed) > 0; }

  // Before the run starts: a second way in that always has room, to a stage that is the region's, too.
  void add_unbounded(stage& entry, entity& fails, std::size_t most);
  unbounded_inlet* unbounded() const { return unbounded_.get(); }
  const stage* round_entry() const { return round_entry_; }  // where it leads to; null: there is none

  // Before the run starts: new records are not taken from the stream while this holds. Who ends it calls call_worker.
  void set_gate(std::function<bool()> is_shut) { is_shut_ = std::move(is_shut); }

  // Puts this region on its home's list when something may be done here that nobody attends to: when no worker looks
  // after it, or when there is more to do than those take at a time and another may join.
  // REQUIRES: the caller, or what it knows of, counts as work: a record that comes meanwhile relies on this call, and
  // the run must not have drained before the region is listed.
  void call_worker() noexcept override;
  // The same by who is no part of that: whoever changes a limit.
  void call_worker_from_outside() noexcept;

  // The same for outputs that were stuck and may now leave: in any case, since the workers that are here may themselves
  // be waiting for those outputs to leave first.
  void call_worker_to_deliver() noexcept override;

  // While held, no new batch is taken; outputs still drain. A held region counts as work in the run.
  void hold();
  void release();
  bool is_held() const { return is_held_.load(std::memory_order_relaxed); }  // a glance; rest() looks under the lock

  // Within the one activation of an initialiser's region, between two of its records: the region counts as quiet while
  // it is held, and this waits, off its cores, until it no longer is. Throws stopped when the run is stopping.
  void rest(context& c, const stage& box, const record_body& input);

  // Nothing runs, nothing is kept: what was taken has left. Under hold this stays true.
  bool is_quiet() const;

  // Records it holds: those that wait in the inlet, and outputs that could not leave yet.
  std::size_t kept() const;

  // For the report: when records came and left, as far as it is known, in one look at each end of the inlet.
  std::pair<stream_end::reading, stream_end::reading> came_and_left() const;

  // Drops everything it holds; returns how many records. REQUIRES: no worker runs.
  std::size_t drop_all();

  stream& inlet() { return inlet_; }
  const stream& inlet() const { return inlet_; }
  // release and acquire: who sees a wider limit also sees that what allowed no more was cut off before.
  int limit() const { return limit_.load(std::memory_order_acquire); }
  void set_limit(int lanes);  // a wider one calls a worker
  // Places in the inlet. More of them wake its writers, and a worker where a gate looks at that number.
  void set_capacity(std::size_t records);
  // Target and maximum of a batch, which grows with the queue.
  void set_batch(std::size_t records, std::size_t most) {
    batch_.store(records, std::memory_order_relaxed);
    most_in_batch_.store(most, std::memory_order_relaxed);
  }

  // Whether a record takes so long here, or is not known not to, that each is worth a worker.
  bool is_long() const { return batch_.load(std::memory_order_relaxed) == 1; }

  // Whether several records at once, with all that they cause here, are short enough that nobody waits for them.
  bool is_brief() const override { return most_in_batch_.load(std::memory_order_relaxed) > 1; }

  // One record in so many is timed in all boxes, in those that are sampled, too (component_state::is_sampled); of all
  // it is one. By number, not by the clock: what comes first after a while comes after what took long. Where all are
  // short it is `seldom`: that keeps what timing costs, about 60 ns a box, near a nanosecond a record.
  static constexpr std::uint32_t seldom = 64;
  void time_one_in(std::uint32_t records) { timed_one_in_.store(records, std::memory_order_relaxed); }
  std::uint32_t timed_one_in() const { return timed_one_in_.load(std::memory_order_relaxed); }

  // Whether a record takes less time here than waking a thread for it would, and waits for nobody: then a sender may
  // run it (option inline_send), or have it run on his core. Relaxed: a hint.
  void let_senders_in(bool may) { lets_senders_in_.store(may, std::memory_order_relaxed); }
  // Also not where there is more to do than for a few records.
  bool lets_senders_in() const override;

  static constexpr std::size_t largest_batch = 64;  // beyond it a hand-over costs under a nanosecond a record already

  // For context: outputs of the batch with this ticket.
  bool has_turn(std::uint64_t ticket) const { return turn_.load(std::memory_order_acquire) == ticket; }
  void wait_for_turn(std::uint64_t ticket);  // returns early when the run stops
  void wake_turn_waiters();

  void wait_for_release();  // until it is not held; returns early when the run stops

 private:
  // One activation; false when there is nothing that may be done now. `next`: the group on whose list the worker looks
  // right afterwards, or null. `brought`: where its last output goes, if it had one.
  bool activate(worker& w, const group* next, channel** brought = nullptr) noexcept;
  void join_list() noexcept;
  void turn_away() noexcept;
  void call_for_rest();                          // a worker, when something is left that may be done
  bool may_go_on(const worker& w) const;         // with what there is to do
  bool is_worth_looking(const worker& w) const;  // for what may come
  // Records that may be taken now, and taking some.
  std::size_t waiting() const {
    const std::size_t back = unbounded_ ? unbounded_->size() : 0;
    return back > 0 ? back : is_shut_ && is_shut_() ? 0 : inlet_.size();
  }
  struct batch_taken {
    std::size_t count = 0;
    stage* entry = nullptr;      // which it enters
    stream_end* left = nullptr;  // what it came out of
    std::uint64_t number = 0;    // there, of its first record
  };
  batch_taken take(record_body** into);
  std::size_t next_batch() const;
  void run_through(context& c, stage* entry, std::span<record_body*> batch) noexcept;
  enum class task { none, take, deliver };
  task possible_task() const;
  void let_gather() const;
  bool is_crowded() const;

  // Puts out what it can, in order, and removes it; true when nothing is left. Where there is no memory it is as if
  // there were no room, and the run ends.
  bool flush(std::vector<outgoing_record>& out) noexcept;
  bool finish(std::uint64_t ticket, std::vector<outgoing_record>& out) noexcept;
  bool deliver_in_turn(std::vector<outgoing_record>& out) noexcept;
  std::uint64_t window() const;

  run_environment& run_;
  stage& head_;
  stream inlet_;
  mutable WEIR_LOCK(writers) writers_;
  std::unique_ptr<unbounded_inlet> unbounded_;
  stage* round_entry_ = nullptr;
  std::function<bool()> is_shut_;

  std::atomic<int> limit_{1};
  std::atomic<std::size_t> batch_{1}, most_in_batch_{1};
  std::atomic<bool> lets_senders_in_{false};
  std::atomic<std::uint32_t> timed_one_in_{1};

  // Workers that look after this region, and its places on the list. Each counts as work in the run. Whoever puts
  // something in looks here afterwards; whoever turns away looks at the inlet afterwards: no record is forgotten. On
  // both sides a sequentially consistent fence stands between.
  std::atomic<int> attended_{0};

  mutable WEIR_LOCK(region) mutex_;
  int active_ = 0;
  bool held_ = false;
  std::atomic<bool> is_held_{false};  // a copy to look at without the lock; relaxed
  bool delivering_ = false;           // someone is putting out the outputs whose turn it is
  std::uint64_t taken_ = 0;           // tickets given out
  std::uint64_t records_taken_ = 0;   // with them
  std::atomic<std::uint64_t> turn_{
      0};  // the ticket whose outputs may leave; written under mutex_, release pairs with has_turn
  std::map<std::uint64_t, std::vector<outgoing_record>> finished_;  // outputs of batches whose turn has not come
  std::vector<decltype(finished_)::node_type> spare_;               // of those before, empty: kept for their memory
  std::vector<outgoing_record> stuck_;                              // outputs whose turn it is and that found no room
  std::atomic<bool> is_stuck_{false};  // that there are such, to look at without the lock; relaxed: set by a worker
                                       // that looks again itself, and the signal calls one in any case
  condition turn_passed_;
  int turn_waiters_ = 0;

  friend class context;
};

}  // namespace weir::detail

#pragma once

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
#include "runtime/streams/waiting_inputs.hpp"
#include "runtime/threads/cache_aligned.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/primitives.hpp"
#include "runtime/threads/short_wait.hpp"

namespace weir::detail {

class context;
struct run_environment;
class stage;
struct worker;

// A stretch of the network that runs as one: a bounded inlet, the stage behind it, and the stages fused to that, which
// run inline. It is the unit that workers pick up. One *activation* takes a few records from the inlet, runs them
// through, and puts the results into the streams behind.
//
// Up to limit() activations run at the same time. Each batch taken carries a ticket, and outputs leave in the order of
// the tickets, so a region emits in the order of its inputs at any width. A full stream behind it does not hold a
// thread: the region keeps the rest and is scheduled again when there is room. Only a box in the middle of emitting
// must wait.
class region final : public channel, public schedulable, public cache_aligned {
 public:
  region(run_environment& run, stage& head, std::size_t physical_capacity);

  // channel: into the inlet. Writers take turns here, since there may be several.
  std::size_t push(record_body* const* records, std::size_t count) override;
  bool has_room() const override { return inlet_.has_room(); }

  // Runs activations until there is nothing to do or the worker is needed elsewhere. Before it stops attending it looks
  // for the next record during a short_wait, where those pay.
  void attend(worker& w) noexcept override;

  // Runs one activation and leaves the rest to workers. By a sender's own thread, or by a worker inside an invocation.
  void attend_once(worker& w) noexcept override;

  // By a worker whose invocation waits for room here: helps rather than release its cores. Runs one activation on its
  // own stack, then the region where the output went, if that is brief, while the output is in its cache. False when
  // nothing may be done now, when others do it, when it keeps others waiting, or when little of its stack is left.
  bool help(worker& w) noexcept;
  // By the same worker when there is nothing to help with: waits a moment, since others may soon make room here.
  void await_room(const worker& w) const;

  // Whether some worker attends to it. Relaxed: a hint.
  bool is_attended() const { return attended_.load(std::memory_order_relaxed) > 0; }

  // Before the run starts: adds a second inlet that always has room. It leads to a stage that is part of the region,
  // too. returns: what the region puts out may come back through it.
  void add_unbounded(stage& entry, entity& fails, std::size_t most, bool returns = true);
  unbounded_inlet* unbounded() const { return unbounded_.get(); }
  stage* round_entry() const { return round_entry_; }  // the stage behind unbounded(); null: there is none

  // Before the run starts: no new records are taken from the stream while this holds. A thread that ends it calls
  // call_worker().
  void set_gate(std::function<bool()> is_shut) { is_shut_ = std::move(is_shut); }

  // Before the run starts: `number` is called for the records of a batch, in the order in which they are taken, under
  // the region's lock. It writes a number for each, which is to be read by way of context::numbers.
  using numbering = void (*)(stage& head, std::span<record_body* const> records, std::uint64_t* into) noexcept;
  void set_numbering(numbering number) { number_ = number; }

  // Puts this region on its home's list when there is work here without a worker. Either none attends to it, or there
  // is more than the attending workers take at a time and another may join. REQUIRES: the caller, or something that it
  // knows of, counts as work. A record that comes meanwhile relies on this call, and the run must not drain before the
  // region is listed.
  void call_worker() noexcept override;
  // The same for a caller that is no part of the run's work, such as one that changes a limit.
  void call_worker_from_outside() noexcept;

  // The same for outputs that were stuck and may now leave. It lists the region in any case, since its workers may
  // themselves wait for those outputs to leave first.
  void call_worker_to_deliver() noexcept override;

  // A held region takes no new batch; its outputs still leave. It counts as work in the run.
  void hold();
  void release();
  bool is_held() const { return is_held_.load(std::memory_order_relaxed); }  // a hint; rest() looks under the lock

  // Inside the one activation of an initialiser's region, between two of its records: waits, off its cores, while the
  // region is held, and counts as quiet meanwhile. Throws stopped when the run is stopping.
  void rest(context& c, const stage& box, const record_body& input);

  // Whether nothing runs and nothing is kept: all records taken have left. Stays true while the region is held.
  bool is_quiet() const;

  // Records that it holds: in its inlets, the unbounded one included or not, and outputs that could not leave yet.
  std::size_t kept(bool with_unbounded = true) const;

  // For the report: when records came to the inlet and left it, as far as known; one read of each end.
  std::pair<stream_end::reading, stream_end::reading> came_and_left() const;

  double bytes_of_a_record() const;  // the mean of those that left the inlet, by option record_bytes; NaN: unknown

  // Drops everything it holds; returns how many records. REQUIRES: no worker runs.
  std::size_t drop_all();

  // Before the first record: allocates what the inlet needs. By one thread at a time.
  void open();

  // The predictor values of the first records in the inlet, oldest first, at most `most`; empty where they are not
  // known. Any thread may ask.
  void read_waiting(std::size_t most, std::vector<double>& to) const;

  stream& inlet() { return inlet_; }
  const stream& inlet() const { return inlet_; }
  // Release and acquire: a reader of a wider limit also sees that the narrower stages were cut off before.
  int limit() const { return limit_.load(std::memory_order_acquire); }
  void set_limit(int lanes);  // a wider one calls a worker
  // Places in the inlet. More places wake its writers, and a worker, since a gate may read that number.
  void set_capacity(std::size_t records);
  // Target and maximum of a batch, which grows with the queue.
  void set_batch(std::size_t records, std::size_t most) {
    batch_.store(records, std::memory_order_relaxed);
    most_in_batch_.store(most, std::memory_order_relaxed);
  }

  // Whether a record takes so long here that each is worth a worker; also true while its time is unknown.
  bool is_long() const { return batch_.load(std::memory_order_relaxed) == 1; }

  // Whether several records, with all that they cause here, are so short that they hardly delay other threads.
  bool is_brief() const override { return most_in_batch_.load(std::memory_order_relaxed) > 1; }

  // One record in so many is timed in all boxes, including the sampled ones (component_state::is_sampled()). It is
  // chosen by number, not by the clock: the first record after some time tends to follow one that took long. Where all
  // boxes are short it is `seldom`: that keeps the cost of timing, about 60 ns a box, near a nanosecond a record. Where
  // it is `seldom`, or 1, since nothing is known, there is a limit by time besides (worker::may_time_short()).
  static constexpr std::uint32_t seldom = 64;
  void time_one_in(std::uint32_t records) { timed_one_in_.store(records, std::memory_order_relaxed); }
  std::uint32_t timed_one_in() const { return timed_one_in_.load(std::memory_order_relaxed); }

  // Whether a record takes less time here than waking a thread for it would, and never waits. Then a sender may run it
  // (option inline_send), or have it run on the sender's core. Relaxed: a hint.
  void let_senders_in(bool may) { lets_senders_in_.store(may, std::memory_order_relaxed); }
  // False also when more than a few records wait.
  bool lets_senders_in() const override;

  static constexpr std::size_t largest_batch = 64;  // beyond it a hand-over costs under a nanosecond a record already

  // For context: outputs of the batch with this ticket.
  bool has_turn(std::uint64_t ticket) const { return turn_.load(std::memory_order_acquire) == ticket; }
  // Waits for a turn to pass, until it holds; what else it may depend on calls wake_turn_waiters(). Returns early when
  // the run stops.
  void wait_until(const std::function<bool()>& holds);
  void wake_turn_waiters();

  void wait_for_release();  // until it is not held; returns early when the run stops

 private:
  // Runs one activation; false when nothing may be done now. `next`: the group whose list the worker reads right
  // afterwards, or null. `brought`: set to where its last output goes, if it has one.
  bool activate(worker& w, const group* next, channel** brought = nullptr) noexcept;
  void join_list() noexcept;
  void stop_attending() noexcept;
  void call_for_rest();                          // calls a worker when work is left that may be done
  bool may_go_on(const worker& w) const;         // with the work that there is
  bool is_worth_looking(const worker& w) const;  // for work that may come
  // How many records may be taken now; take() takes some of them.
  std::size_t waiting() const {
    const std::size_t back = unbounded_ ? unbounded_->size() : 0;
    return back > 0 ? back : is_shut_ && is_shut_() ? 0 : inlet_.size();
  }
  std::size_t push_foreseen(record_body* const* records, std::size_t count);
  struct batch_taken {
    std::size_t count = 0;
    stage* entry = nullptr;      // that it enters
    stream_end* left = nullptr;  // where it came out
    std::uint64_t number = 0;    // there, of its first record
  };
  batch_taken take(record_body** into);
  bool lets_one_in() const;
  std::size_t next_batch() const;
  void run_through(context& c, stage* entry, std::span<record_body*> batch) noexcept;
  enum class task { none, take, deliver };
  task possible_task() const;
  void let_gather() const;
  bool is_crowded() const;

  // Puts out as many outputs as there is room for, in order, and removes them; true when none is left. Without memory
  // it acts as if there were no room, and the run ends.
  bool flush(std::vector<outgoing_record>& out) noexcept;
  bool finish(std::uint64_t ticket, std::vector<outgoing_record>& out) noexcept;
  bool deliver_in_turn(std::vector<outgoing_record>& out) noexcept;
  std::uint64_t window() const;

  run_environment& run_;
  stage& head_;
  numbering number_ = nullptr;
  stream inlet_;

  // Each of the following groups has cache lines of its own. What a writer reads for each record is not in a line that
  // the reader writes, and vice versa, since the two run on different cores.

  // Read for each record; written at the start, when the run's plans change, or a worker comes or goes.
  alignas(64) std::unique_ptr<waiting_inputs> foreseen_;  // null: the head has no predictor, or no policy looks ahead
  std::unique_ptr<unbounded_inlet> unbounded_;
  stage* round_entry_ = nullptr;
  std::function<bool()> is_shut_;
  bool returns_ = false;
  threads::atomic<bool> lets_senders_in_{false};
  threads::atomic<bool> is_held_{false};  // a copy of held_ to read without the lock; relaxed
  threads::atomic<std::uint32_t> timed_one_in_{1};
  threads::atomic<std::size_t> batch_{1}, most_in_batch_{1};
  threads::atomic<int> limit_{1};

  // Workers that attend to this region, and its places on the list. Each counts as work in the run. A thread that puts
  // a record in reads this afterwards; a worker that stops attending looks at the inlet afterwards. On both sides a
  // sequentially consistent fence stands between the two steps, so no record is forgotten.
  threads::atomic<int> attended_{0};

  // Written by writers for each push.
  alignas(64) mutable WEIR_LOCK(writers) writers_;

  // Written for each activation.
  alignas(64) mutable WEIR_LOCK(region) mutex_;
  short_waits waits_;  // of workers for the next record
  int active_ = 0;
  bool held_ = false;
  std::size_t came_back_ = 0;         // looping records taken since a new one was
  bool delivering_ = false;           // a thread puts out the outputs whose turn it is
  threads::atomic<bool> is_stuck_{false};  // whether stuck_ has any, to read without the lock; relaxed: the worker that
                                           // sets it looks again itself, and the signal calls a worker in any case
  std::uint64_t taken_ = 0;           // tickets given out
  std::uint64_t records_taken_ = 0;   // by the batches with these tickets
  // The ticket whose outputs may leave. Written under mutex_; the release pairs with has_turn().
  threads::atomic<std::uint64_t> turn_{0};
  std::map<std::uint64_t, std::vector<outgoing_record>> finished_;  // outputs of batches whose turn has not come
  std::vector<decltype(finished_)::node_type> spare_;               // nodes of earlier ones, kept for their memory
  std::vector<outgoing_record> stuck_;                              // outputs whose turn it is, without room so far
  condition turn_passed_;
  int turn_waiters_ = 0;

  friend class context;
};

}  // namespace weir::detail

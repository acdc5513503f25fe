#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/intake.hpp"
#include "runtime/engine/ordered_delivery.hpp"
#include "runtime/streams/channel.hpp"
#include "runtime/streams/error_site.hpp"
#include "runtime/streams/schedulable.hpp"
#include "runtime/threads/cache_aligned.hpp"
#include "runtime/threads/short_wait.hpp"

namespace weir::detail {

class context;
struct run_environment;
class entity;
struct worker;

// A stretch of the network that runs as one: a bounded inlet, the entity behind it, and the entities fused to that,
// which run inline. It is the unit that workers pick up. One *activation* takes a few records from the inlet, runs them
// through, and puts the results into the streams behind.
//
// Up to limit() activations run at the same time. Each batch taken carries a ticket, and outputs leave in the order of
// the tickets, so a region emits in the order of its inputs at any width. A full stream behind it does not hold a
// thread: the region keeps the rest and is scheduled again when there is room. Only a box in the middle of emitting
// must wait.
class region final : public channel, public schedulable, public cache_aligned {
 public:
  region(run_environment& run, entity& head, std::size_t physical_capacity);

  // channel: into the stream.
  std::size_t push(record_body* const* records, std::size_t count) override;
  bool has_room() const override { return in_.inlet().has_room(); }
  schedulable* reader() override { return this; }

  // schedulable. Before a worker stops attending it looks for the next record during a short_wait, where those pay.
  void attend(worker& w) noexcept override;
  void attend_once(worker& w) noexcept override;
  bool help(worker& w) noexcept override;
  void await_room(const worker& w) const override;
  void wake_worker() noexcept override;
  void wake_worker_to_deliver() noexcept override;
  bool allows_inline_send() const override;  // false also when more than a few records wait
  bool may_batch() const override { return setting().may_batch(); }

  // wake_worker() by a caller that is no part of the run's work, such as one that changes a limit.
  void wake_worker_from_outside() noexcept;

  // Whether some worker attends to it. Relaxed: a hint.
  bool is_attended() const { return attended_.load(std::memory_order_relaxed) > 0; }

  intake& in() { return in_; }
  const intake& in() const { return in_; }
  stream& inlet() { return in_.inlet(); }
  const stream& inlet() const { return in_.inlet(); }
  unbounded_inlet* unbounded() const { return in_.unbounded(); }
  void add_unbounded(entity& entry, error_site& fails, std::size_t most, bool returns = true) {
    in_.add_unbounded(*this, entry, fails, most, returns);
  }

  // A held region takes no new batch; its outputs still leave. It counts as work in the run. REQUIRES: it is not held
  // yet, or it is.
  void hold();
  void release();
  bool is_held() const { return delivery_.is_held(); }  // a hint; wait_while_held() looks under the lock

  // Inside the one activation of an initialiser's region, between two of its records: waits, off its cores, while the
  // region is held, and counts as quiet meanwhile. Throws stopped when the run is stopping.
  void wait_while_held(context& c, const entity& box, const record_body& input);
  void wait_for_release();  // until it is not held; returns early when the run stops

  // Whether nothing runs and nothing is kept: all records taken have left. Stays true while the region is held.
  bool is_quiet() const { return delivery_.is_quiet(); }

  // Records that it holds: in its inlets, the unbounded one included or not, and outputs that could not leave yet.
  std::size_t pending(bool with_unbounded = true) const;
  std::size_t drop_all();  // all of them; returns how many. REQUIRES: no worker runs

  // For the report: when records came to the inlet and left it, as far as known; one read of each end.
  std::pair<stream_end::snapshot, stream_end::snapshot> arrivals_and_departures() const;
  double bytes_of_a_record() const;  // the mean of those that left the inlet, by option record_bytes; NaN: unknown

  // Release and acquire: a reader of a wider limit also sees that the narrower entities were cut off before.
  int limit() const override { return limit_.load(std::memory_order_acquire); }
  int could_begin() const override {
    const int room = limit() - active_.load(std::memory_order_relaxed);
    return std::max(0, std::min(room, static_cast<int>(in_.waiting())));
  }
  void set_limit(int lanes);  // a wider one wakes a worker
  // Places in the inlet. More places wake its writers, and a worker, since a gate may read that number.
  void set_capacity(std::size_t records);

  // How it works on its records. Relaxed: hints. The run's placing writes, under its lock.
  work_setting setting() const { return in_.setting(); }
  void set(work_setting s) { in_.set(s); }
  void wake_others_if_unsure() noexcept;  // a record that was expected to be short is not
  void expect_other_work();               // until the next set(): each record is timed, and senders are not let in

  // For context: the outputs of the batch with this ticket. A wait ends when `holds`, which is called under the
  // delivery's lock, or when the run stops. wake_turn_waiters() is for conditions other than turns.
  bool has_turn(std::uint64_t ticket) const { return delivery_.has_turn(ticket); }
  void wait_until(const std::function<bool()>& holds);
  void wake_turn_waiters() { delivery_.wake_waiters(); }
  // Puts out as many outputs as there is room for, in order, and removes them; true when none is left. Without memory
  // it acts as if there were no room, and the run ends.
  bool flush(ordered_delivery::outputs& out) noexcept;

 private:
  enum class afterwards { polls, leaves };  // polls: the worker takes work from its group's list right after
  struct activation {
    bool has_worked = false;     // false when nothing may be done now
    channel* brought = nullptr;  // where its last output went; null: there was none
  };
  activation activate(worker& w, afterwards then) noexcept;
  void run_through(context& c, entity* entry, std::span<record_body*> batch) noexcept;
  std::optional<bool> deliver_stuck(worker& w, afterwards then) noexcept;
  bool finish(std::uint64_t ticket, ordered_delivery::outputs& out) noexcept;
  bool deliver(ordered_delivery::outputs& out) noexcept;

  bool is_crowded(int attending) const;  // whether another worker than these would pay
  void join_list() noexcept;
  void stop_attending() noexcept;
  void wake_for_rest();                          // wakes a worker when work is left that may be done
  bool may_go_on(const worker& w) const;         // with the work that there is
  bool is_worth_looking(const worker& w) const;  // for work that may come
  void let_gather() const;

  run_environment& run_;
  intake in_;

  // Read for each record; written when the run's plans change, or a worker comes or goes. These, and what each
  // activation writes, have cache lines of their own.
  alignas(64) threads::atomic<int> limit_{1};
  // Workers that attend to this region, and its places on the list. Each counts as work in the run. A thread that puts
  // a record in reads this afterwards; a worker that stops attending looks at the inlet afterwards. On both sides a
  // sequentially consistent fence stands between the two steps, so no record is forgotten.
  threads::atomic<int> attended_{0};

  alignas(64) ordered_delivery delivery_{limit_};
  threads::atomic<int> active_{0};  // activations: of attending workers, the others are about to begin one
  short_waits waits_;               // of workers for the next record
};

}  // namespace weir::detail

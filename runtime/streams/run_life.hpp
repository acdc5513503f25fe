#pragma once

#include <cstdint>
#include <stop_token>

#include <weir/threads/primitives.hpp>
#include "runtime/machine/platform.hpp"
#include "runtime/streams/run_owner.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// How far a run is from its beginning to its end: whether work is left, whether input may come, whether it is stopping.
// Thread-safe.
class run_life {
 public:
  run_life(const platform& on, run_owner& run)
      : platform_(on), run_(run), started_at_(on.now()), began_(on.wall_clock()) {}

  double now() const { return platform_.now(); }
  double started_at() const { return started_at_; }
  double began() const { return began_; }  // the start by platform::wall_clock()
  // Seconds since the start. time() stands still once the run has ended.
  double since_start() const { return now() - started_at_; }
  double time() const {
    const double ended = ended_at_.load(std::memory_order_relaxed);
    return (ended > 0 ? ended : now()) - started_at_;
  }

  void begin() { has_begun_.store(true); }
  bool has_begun() const { return has_begun_.load(); }  // records may be under way

  // Work in the run: everything that is listed, runs, or is kept for later. The run has drained when it is closed and
  // has no work.
  //
  // Sequentially consistent: close() sets closed_ and then gives up work of its own. A thread that gives up work reads
  // closed_ afterwards. A sender begins work before it reads closed_. So one of them sees the other. ran_dry() reads
  // work_ again: meanwhile more may have been sent, and the input closed only then. A run that would have drained first
  // lets its folds finish, some at a time, which is work again. The first of the threads that see it without work does
  // that. A model of all this is in tests/concurrency.
  void begin_work() { work_.fetch_add(1, std::memory_order_seq_cst); }
  void finish_work() {
    if (work_.fetch_sub(1, std::memory_order_seq_cst) == 1 && closed_.load(std::memory_order_seq_cst)) ran_dry();
  }
  // Counts as work while it exists.
  class at_work {
   public:
    explicit at_work(run_life& l) : life_(l) { life_.begin_work(); }
    ~at_work() { life_.finish_work(); }
    at_work(const at_work&) = delete;

   private:
    run_life& life_;
  };
  void close();
  bool has_work() const { return work_.load(std::memory_order_relaxed) > 0; }  // at a moment: for what only tells

  bool is_closed() const { return closed_.load(std::memory_order_seq_cst); }
  bool is_closed_hint() const { return closed_.load(std::memory_order_relaxed); }

  // Relaxed: a hint, for callers that look again. Sleepers are woken under the locks under which they look.
  bool is_stopping() const { return stopping_.load(std::memory_order_relaxed); }
  const threads::atomic<bool>& stopping_flag() const { return stopping_; }
  bool has_drained() const { return drained_.load(); }
  bool is_over() const { return drained_.load() || stopping_.load(); }
  void wait_until_over();

  // Both put the run into the stopping state. begin_to_wake() is true once: then the caller wakes all sleepers.
  void begin_to_stop() noexcept;
  bool begin_to_wake() noexcept;
  void freeze() noexcept { stopping_.store(true); }  // at the process's end: no thread is woken

  // The stop source whose token grants show to boxes. A request for a stop may run the user's callbacks.
  std::stop_source& boxes() { return boxes_; }

 private:
  void ran_dry();
  void stop_locked() noexcept WEIR_REQUIRES(mutex_);

  const platform& platform_;
  run_owner& run_;
  const double started_at_, began_;
  threads::atomic<double> ended_at_{0};
  threads::atomic<bool> has_begun_{false}, closed_{false}, drained_{false}, stopping_{false};
  std::stop_source boxes_;
  // Senders write it for each record, and all threads read the members above for each: not in the same cache line.
  alignas(64) threads::atomic<std::int64_t> work_{0};
  WEIR_LOCK(finishing) finishing_;
  WEIR_LOCK(life) mutex_;
  condition over_;
  bool woke_ WEIR_GUARDED_BY(mutex_) = false;  // all sleepers are, or are about to be, woken
};

}  // namespace weir::detail

#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/machine/arena.hpp"
#include "runtime/machine/core_budget.hpp"
#include "runtime/machine/core_lease.hpp"
#include "runtime/machine/foreign_load.hpp"
#include "runtime/machine/kept_threads.hpp"
#include "runtime/machine/machine_user.hpp"
#include "runtime/machine/platform.hpp"
#include "runtime/machine/process_threads.hpp"
#include "runtime/machine/resource_ledger.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The state that the runs on one machine share: its cores, the part in use, and who holds them. It also has the arenas
// and one controller thread that learns and decides for all of them. That thread exists while a run does, and for some
// seconds more where the platform keeps threads. A run that does nothing costs the others nothing but a look of the
// watchdog: the thread visits those that call it. Thread-safe.
class machine_state {
 public:
  explicit machine_state(std::shared_ptr<detail::platform> p);
  ~machine_state() { end_controller(); }
  machine_state(const machine_state&) = delete;

  detail::platform& platform() { return *platform_; }
  // All that the process may have at any time, by its affinity when it began: core numbers are of these.
  const std::shared_ptr<const topology>& cores() const { return platform_->cores(); }
  const core_budget& budget() const { return budget_; }       // which of these are in use
  core_set permitted() const { return budget_.permitted(); }  // at present, by the system
  std::vector<std::string> notes() const;  // on things that the machine does not allow, one sentence each
  core_ledger& ledger() { return ledger_; }
  arena_cache& arenas() { return arenas_; }
  resource_ledger& resources() { return resources_; }
  const foreign_load& others() const { return others_; }
  threads::atomic<bool>& binding_refused() { return known_.binding_refused; }
  // True once: the machine's first run logs what the machine does not allow; the reports of all runs say it.
  bool is_first_to_say() { return !known_.is_said.exchange(true); }

  // Adds a run: it and the runs already there are each leased their part of the cores. The controller is not called for
  // it, since a run makes its first step itself. Throws run_error when the controller's thread cannot be started, and
  // std::bad_alloc; then nothing has changed.
  void join(machine_user& run);
  void leave(machine_user& run) noexcept;
  bool is_in_use();                // has runs
  void end_controller() noexcept;  // now, and not after some seconds. REQUIRES: the machine has no run, and gets none

  // Makes the controller thread visit a run, soon: it makes a step if the run wants one, and sees to its messages. Does
  // nothing for a run that has not joined, or has left. May be called under any lock.
  void wake_controller(machine_user& run) noexcept;

  // Notes that a thread has taken its cores, so that the controller thread checks for hangs as long as threads work.
  // Costs one relaxed load while it already does.
  void work_begins() {
    if (!watching_.load(std::memory_order_relaxed)) watch();
  }
  bool is_watching() const { return watching_.load(std::memory_order_relaxed); }

  // Whether one more thread without work may wait for some, over all runs of the machine; until it is taken back by
  // release_park_permit(). Relaxed: a count.
  bool acquire_park_permit() {
    if (parked_.fetch_add(1, std::memory_order_relaxed) < most_parked()) return true;
    parked_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  void release_park_permit() { parked_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  // A few runs keep all their threads. With many idle ones, further threads begin anew with the next record, which
  // takes some 20 us more than to wake one.
  int most_parked() const { return 64 + 4 * cores()->size(); }

  struct due {
    threads::clock::time_point check, look;  // for hangs; at the cores in use
    threads::clock::time_point overdue;      // at runs that are to make a step though nothing is observed
  };

  void control(std::stop_token ended);
  void set_known(machine_user& run, bool is) noexcept;
  template <class Visit>
  void visit_runs(const std::stop_token& ended, Visit visit);
  void visit_called(const std::stop_token& ended);
  template <class Visit>
  void visit(machine_user& run, unique_lock<mutex<lock_place::runs>>& lock, Visit what) WEIR_NOT_ANALYSED;
  void watch();
  void watch_runs(const std::stop_token& ended);
  void look_at_overdue(const std::stop_token& ended);
  threads::clock::time_point next_overdue();
  void begin() WEIR_REQUIRES(runs_mutex_);
  void set_at_rest(bool is) noexcept;
  started_thread stop_controller() noexcept WEIR_REQUIRES(runs_mutex_);
  bool sleep(const std::stop_token& ended, due& next);
  bool may_end(const std::stop_token& ended);
  void divide(const core_set& all, std::size_t before, std::size_t place) WEIR_REQUIRES(runs_mutex_);
  bool look_at_cores();
  core_gain gain_of_runs();

  const std::shared_ptr<detail::platform> platform_;
  core_ledger ledger_;
  struct {
    threads::atomic<bool> is_said{false};          // it is logged what the machine does not allow
    threads::atomic<bool> binding_refused{false};  // relaxed: only ever set, and told in the next report
  } known_;
  foreign_load others_{*platform_};
  arena_cache arenas_;
  resource_ledger resources_;
  threads::atomic<int> parked_{0};

  WEIR_LOCK(runs) runs_mutex_;
  std::vector<machine_user*> runs_ WEIR_GUARDED_BY(runs_mutex_);
  core_budget budget_{*platform_};
  int clearing_ WEIR_GUARDED_BY(runs_mutex_) = 0;  // last runs that have left, whose arenas are being destroyed
  // Visited by the controller's thread: it must not leave meanwhile.
  machine_user* visited_ WEIR_GUARDED_BY(runs_mutex_) = nullptr;
  condition visit_over_;  // or a controller's thread has ended

  WEIR_LOCK(controller) mutex_;
  condition wake_;
  struct {
    bool woken = false;                                                    // it has to check from now on
    bool is_at_rest = true;                                                // no run is there: it ends after a while
    bool sleeps_long = false;                                              // until it is woken
  } sleep_ WEIR_GUARDED_BY(mutex_);                                        // of the controller's thread
  boost::intrusive::list<machine_user> called_ WEIR_GUARDED_BY(mutex_){};  // runs that are to be visited
  // The controller thread checks for hangs at intervals, not only when it is woken. Relaxed: the ledger's lock is
  // between a thread that takes cores and a controller that ceases to watch when all are free.
  threads::atomic<bool> watching_{false};
  process_threads threads_{*platform_};  // of the controller's thread
  struct {
    started_thread thread;
    std::stop_source end;
    bool has_ended = true;
    bool is_at_work = false;  // one thread at a time: the last one may still look when the next one starts
  } controller_ WEIR_GUARDED_BY(runs_mutex_);
};

}  // namespace weir::detail

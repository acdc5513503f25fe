#pragma once

#include <boost/intrusive/list.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <weir/network/grant.hpp>
#include <weir/scheduler/machine/core_set.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// Held by a thread while it runs invocations: the cores of one lane, and which of them is that thread's own. For a box
// that waits outside the cores it has no cores. The cores never change: a new allotment makes new leases and revokes
// old ones.
struct core_lease {
  core_lease(core_set on, int its_own, grant g, threads::atomic<int>& held)
      : cores(std::move(on)), own{its_own}, granted(std::move(g)), holding(held) {}

  // Outside the cores, for a box that waits.
  core_lease(grant g, threads::atomic<int>& held) : granted(std::move(g)), holding(held) {}

  int first_core() const { return cores.empty() ? -1 : cores[0]; }
  int own_core() const { return own.empty() ? -1 : own[0]; }
  // Whether an invocation that does not know its grant may go on here instead: on one core of the same kind.
  bool stands_in_for(const core_lease& other) const {
    return cores.size() == 1 && other.cores.size() == 1 && granted.kind() == other.granted.kind();
  }

  const core_set cores;
  const core_set own;  // of the thread that holds it; oneTBB's workers have the others
  const grant granted;
  // Leases of a group whose cores these are; none: itself. Written before others see it.
  std::vector<std::shared_ptr<core_lease>> parts{};
  threads::atomic<int>& holding;  // threads of its run that hold leases of this kind; written under the ledger's lock

  // Others have asked for it: its holder releases it between two invocations. Written under the ledger's lock. Relaxed:
  // a hint that is seen soon; exact decisions are made under that lock.
  threads::atomic<bool> leave{false};
  // A new allotment has dropped this lease: its holder releases it for good. Never cleared. A flag of its own, since
  // giving the lease back clears `leave`, perhaps just when the lease is revoked. The ledger reads it under its lock,
  // which recheck() takes afterwards; elsewhere it is a relaxed hint.
  threads::atomic<bool> revoked{false};
  bool oversubscribes = false;  // in use next to the holders of its cores. By its thread, or under the lock
  bool is_overdue = false;      // its holder has let others wait for core_ledger::patience. Under the ledger's lock
};

// The cores that a thread is bound to.
struct core_binding {
  core_set cores;  // empty: nowhere yet
  int as_of = 0;   // core_budget::changes() then; after another one the system may have moved the thread
};

// Which cores are in use by whom. No core is used by two lanes at the same time, whatever the allotment says; the last
// paragraph has the one exception. So a new grant takes effect between two invocations, once the old holder has
// finished. And the shared group can run on an owner's core between that owner's invocations. One per machine, shared
// by its runs. Thread-safe.
//
// First come, first served: a lease that waits reserves its cores against later comers.
//
// A holder of cores may wait, unseen by the ledger, for a run that needs them: a box starts threads that run a network,
// and waits for them. Therefore, if no thread of a run is on a core and one has waited for `patience`, it runs next to
// the holders, in time slices of that length. From then until they release their cores, the holders are overdue: one
// thread of each run may run next to them without waiting first. Otherwise each hand-over between threads of that run
// would take `patience`.
class core_ledger {
 public:
  explicit core_ledger(int cores) : holder_(static_cast<std::size_t>(cores)) {}

  // Waits until all cores of the lease are free and takes them. Returns false, holding nothing, when the lease is
  // revoked or the wait was cancelled.
  bool take(core_lease& s, const threads::atomic<bool>& cancelled, bool even_if_revoked = false) noexcept;
  bool take_if_free(core_lease& s) noexcept;  // takes them, or returns false immediately
  // By the holder of `held`: takes the cores of `s` in its place, which has them and others, or returns false
  // immediately.
  bool take_more(core_lease& held, core_lease& s) noexcept;
  // By the holder of `s`: keeps the cores of `part` alone, which are some of its own. Never waits.
  void keep_part(core_lease& s, core_lease& part) noexcept;

  // All leases of a group.
  struct lease_list {
    std::vector<std::shared_ptr<core_lease>> leases{};
    threads::atomic<bool> has_changed{false};  // there is another list now. Set before recheck()
  };
  // In the middle of an invocation: takes the cores of `s`, revoked or not, or of one of `others` that is in force and
  // stands in for it. It waits until the first of them are free, and returns their lease; null, holding nothing, when
  // the list has changed. others: null where `s` alone will do. Their holders are asked to leave only if that of `s`
  // keeps it for some time.
  core_lease* take_any(core_lease& s, const lease_list* others) noexcept;
  void give_back(core_lease& s) noexcept;

  int holders() const;  // threads on their cores, next to holders or outside the cores
  bool is_idle() const { return holders() == 0; }

  static constexpr std::chrono::milliseconds patience{100};  // longer than most invocations, and no hang to a user
  static constexpr std::chrono::milliseconds brief_wait{1};  // for the lease of before alone: longer than short boxes

  // Wakes waits that were cancelled, whose lease was revoked or whose list has changed.
  void recheck();

 private:
  // On the waiter's stack: waiting takes no memory, and so cannot fail.
  struct waiter : boost::intrusive::list_base_hook<> {
    explicit waiter(core_lease& s, const lease_list* or_one_of = nullptr) : wants(s), others(or_one_of) {}
    core_lease& wants;
    const lease_list* const others;  // that it may have instead; null: none
    bool asks_others = false;        // their holders to leave
    core_lease* granted = nullptr;
    condition wake;
  };
  struct holding {
    core_lease* by = nullptr;
    std::uint64_t times = 0;  // that the core was taken
  };

  core_lease* take(waiter& me, const threads::atomic<bool>& cancelled, bool even_if_revoked) noexcept;
  core_lease* try_enter(const waiter& w, const waiter* me) WEIR_REQUIRES(mutex_);
  void enter(core_lease& s) WEIR_REQUIRES(mutex_);
  void leave(core_lease& s) WEIR_REQUIRES(mutex_);
  void oversubscribe(core_lease& s) WEIR_REQUIRES(mutex_);
  void note_overdue(const core_lease& s) WEIR_REQUIRES(mutex_);
  bool are_holders_overdue(const core_lease& s) const WEIR_REQUIRES(mutex_);
  std::uint64_t times_taken(const core_lease& s) const WEIR_REQUIRES(mutex_);
  bool free_for(const core_lease& s, const waiter* me) const WEIR_REQUIRES(mutex_);
  void ask_to_leave(const waiter& w) WEIR_REQUIRES(mutex_);
  void tell_holders(const core_lease& s, bool leave) WEIR_REQUIRES(mutex_);
  void serve() WEIR_REQUIRES(mutex_);

  mutable WEIR_LOCK(ledger) mutex_;
  std::vector<holding> holder_ WEIR_GUARDED_BY(mutex_);               // by core
  boost::intrusive::list<waiter> waiting_ WEIR_GUARDED_BY(mutex_){};  // in order of arrival
  int entered_ WEIR_GUARDED_BY(mutex_) = 0;                           // leases that were taken and not given back
};

}  // namespace weir::detail

#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <chrono>
#include <memory>
#include <vector>

#include "runtime/network/grant.hpp"
#include "runtime/threads/locks.hpp"
#include "scheduler/machine/core_set.hpp"

namespace weir::detail {

// What one thread holds to run invocations: the cores of one lane, and which of them is that thread's; none for a
// box that waits outside the cores. They never change; a new allotment makes new leases and revokes old ones.
struct core_lease {
  core_lease(core_set on, int its_own, grant g, std::atomic<int>& held)
      : cores(std::move(on)), own{its_own}, granted(std::move(g)), holding(held) {}

  // Outside the cores, for a box that waits.
  core_lease(grant g, std::atomic<int>& held) : granted(std::move(g)), holding(held) {}

  int first_core() const { return cores.empty() ? -1 : cores[0]; }
  int own_core() const { return own.empty() ? -1 : own[0]; }

  const core_set cores;
  const core_set own;  // of the thread that holds it; the others are oneTBB's workers'
  const grant granted;
  std::atomic<int>& holding;  // threads of its run that are on cores; written under the ledger's lock

  // Asked for by others: whoever holds it releases it between two invocations. Written under the ledger's lock.
  // Relaxed: a hint that is seen soon; what must be exact is decided under that lock.
  std::atomic<bool> leave{false};
  // A new allotment does without it: leave for good. Never taken back, and a flag of its own: giving the lease back
  // clears `leave`, perhaps at the moment at which the lease is revoked. The ledger looks under its lock, which
  // recheck() takes afterwards; elsewhere relaxed, a hint.
  std::atomic<bool> revoked{false};
  bool is_beside = false;  // it runs beside the holders of its cores (core_ledger). By its thread, or under the lock
};

// Which cores are in use by whom: no core is ever used by two lanes at once, whoever owns them on paper. That makes a
// new grant take effect between two invocations (the old holder finishes first), and lets the shared group run on an
// owner's core between that owner's invocations. One per machine, shared by its runs. Thread-safe.
//
// First come, first served: a lease that waits reserves its cores against later comers.
//
// Who holds cores may wait, in a way that nobody here sees, for a run that needs them: threads that a box started run a
// network and the box waits for them. So a run none of whose threads is on a core, although one has waited for
// `patience`, is let on beside the holders, for turns of that length.
class core_ledger {
 public:
  explicit core_ledger(int cores) : holder_(static_cast<std::size_t>(cores), nullptr) {}

  // Waits until all cores of the lease are free and takes them. Returns false, holding nothing, when the lease is
  // revoked or the wait was cancelled.
  bool take(core_lease& s, const std::atomic<bool>& cancelled, bool even_if_revoked = false) noexcept;
  bool take_if_free(core_lease& s) noexcept;  // takes them, or returns false at once
  void give_back(core_lease& s) noexcept;

  int holders() const;  // threads that are on their cores, those beside holders and outside the cores too
  bool is_idle() const { return holders() == 0; }

  static constexpr std::chrono::milliseconds patience{100};  // longer than most invocations, and no hang to a user

  // Wakes waits that were cancelled or whose lease was revoked.
  void recheck();

 private:
  // On the stack of who waits: waiting takes no memory, and so cannot fail.
  struct waiter : boost::intrusive::list_base_hook<> {
    explicit waiter(core_lease* s) : wants(s) {}
    core_lease* const wants;
    bool granted = false;
    condition wake;
  };

  void enter(core_lease& s) WEIR_REQUIRES(mutex_);
  bool free_for(const core_lease& s, const waiter* me) const WEIR_REQUIRES(mutex_);
  void ask_to_leave(const core_lease& s) WEIR_REQUIRES(mutex_);
  void serve() WEIR_REQUIRES(mutex_);

  mutable WEIR_LOCK(ledger) mutex_;
  std::vector<core_lease*> holder_ WEIR_GUARDED_BY(mutex_);           // by core
  boost::intrusive::list<waiter> waiting_ WEIR_GUARDED_BY(mutex_){};  // in order of arrival
  int entered_ WEIR_GUARDED_BY(mutex_) = 0;                           // leases that were taken and not given back
};

}  // namespace weir::detail

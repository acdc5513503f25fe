#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/grant.hpp"
#include "scheduler/core_set.hpp"

namespace weir::detail {

// Where one thread may sit and run invocations: the cores of one lane, and which of them is that thread's. They never
// change; a new allotment makes new seats and revokes old ones.
struct seat {
  seat(core_set on, int its_own, grant g) : cores(std::move(on)), own{its_own}, granted(std::move(g)) {}

  const core_set cores;
  const core_set own;  // of the thread that sits here; the others are oneTBB's workers'
  const grant granted;

  // Asked for by others: whoever sits here gets up between two invocations. Written under the ledger's lock. Relaxed: a
  // hint that is seen soon; what must be exact is decided under that lock.
  std::atomic<bool> leave{false};
  // A new allotment does without it: leave for good. Never taken back, and a flag of its own: giving the seat back
  // clears `leave`, perhaps at the moment at which the seat is revoked. The ledger looks under its lock, which
  // recheck() takes afterwards; elsewhere relaxed, a hint.
  std::atomic<bool> revoked{false};
};

// Which cores are in use by whom: no core is ever used by two lanes at once, whoever owns them on paper. That makes a
// new grant take effect between two invocations (the old holder finishes first), and lets the shared group run on an
// owner's core between that owner's invocations. One per machine, shared by its runs. Thread-safe.
//
// First come, first served: a seat that waits reserves its cores against later comers.
class core_ledger {
 public:
  explicit core_ledger(int cores) : holder_(static_cast<std::size_t>(cores), nullptr) {}

  // Waits until all cores of the seat are free and takes them. Returns false, holding nothing, when the seat is revoked
  // or the wait was cancelled.
  bool take(seat& s, const std::atomic<bool>& cancelled, bool even_if_revoked = false) noexcept;
  bool take_if_free(seat& s) noexcept;  // takes them, or returns false at once
  void give_back(seat& s) noexcept;

  int holders() const;  // seats of which a core is held
  bool is_idle() const { return holders() == 0; }

  // Wakes waits that were cancelled or whose seat was revoked.
  void recheck();

 private:
  // On the stack of who waits: waiting takes no memory, and so cannot fail.
  struct waiter : boost::intrusive::list_base_hook<> {
    explicit waiter(seat* s) : wants(s) {}
    seat* const wants;
    bool granted = false;
    std::condition_variable wake;
  };

  bool free_for(const seat& s, const waiter* me) const;
  void ask_to_leave(const seat& s);
  void serve();

  mutable std::mutex mutex_;
  std::vector<seat*> holder_;                 // by core
  boost::intrusive::list<waiter> waiting_{};  // in order of arrival
};

}  // namespace weir::detail

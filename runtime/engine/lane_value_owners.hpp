#pragma once

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/machine/core_lease.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class lane_value_owners;
class run_life;
struct worker;

// An invocation that a thread without a value of each_lane() delegates to a thread that has one. It lies on the stack
// of the delegating thread, which has released its cores and waits.
class delegated_invocation : public boost::intrusive::list_base_hook<> {
 public:
  explicit delegated_invocation(std::shared_ptr<core_lease> cores) : on(std::move(cores)) {}
  virtual void run(worker& owner) noexcept = 0;  // on the owner's thread and these cores

  const std::shared_ptr<core_lease> on;

 protected:
  ~delegated_invocation() = default;

 private:
  friend class lane_value_owners;
  enum class state { waits, runs, done } is_ = state::waits;  // under the lock of lane_value_owners
};

// A worker that may have values of each_lane(). The worker alone adds to `owns`.
struct lane_value_owner {
  virtual void wake_for_delegated() noexcept = 0;  // wakes it, if it waits for work
  virtual bool is_off_cores() const noexcept = 0;  // it waits inside an invocation; a hint
  bool has_delegated() const;

  std::vector<lane_value_owners*> owns;  // of the components of which it has values

 protected:
  ~lane_value_owner() = default;
};

// The workers that have a value of each_lane() for one component of a run. A thread on which no value could be made
// delegates its invocations to them, since a value is used only on the thread that made it. Thread-safe.
class lane_value_owners {
 public:
  // Before a thread makes a value. False: other threads have values, and making one failed a moment ago. Each true is
  // followed by made() or failed().
  bool begin_making(double now);
  void made(lane_value_owner& by) noexcept;                    // without memory it is no owner
  bool failed(double now, std::exception_ptr cause) noexcept;  // true for the first time
  std::exception_ptr cause() const;                            // of the last failure

  // Whether a thread failed to make its value. From then on invocations of the component keep their outputs until they
  // end. So no owner waits for the turn of its input while an invocation is delegated to it. Relaxed: if an owner reads
  // an older value and waits elsewhere, delegate_invocation() gives up after a second.
  bool lends() const { return lends_.load(std::memory_order_relaxed); }

  // Has an owner run the invocation, and waits for it. False, and it was not run: there is no owner, all owners stay
  // blocked in invocations, `me` has a value, or the run is stopping. REQUIRES: the caller has released its cores.
  bool delegate_invocation(delegated_invocation& call, const lane_value_owner& me, const run_life& life);

  // For an owner, between two activations.
  bool has_delegated() const { return waiting_.load(std::memory_order_relaxed) > 0; }
  delegated_invocation* take();  // null: there is none
  void has_run(delegated_invocation& call);

 private:
  mutable WEIR_LOCK(lanes) mutex_;
  condition arrived_;  // a delegated invocation has run, or a thread has made a value or failed
  std::vector<lane_value_owner*> owners_ WEIR_GUARDED_BY(mutex_);
  boost::intrusive::list<delegated_invocation> delegated_ WEIR_GUARDED_BY(mutex_){};
  std::exception_ptr cause_ WEIR_GUARDED_BY(mutex_);
  int making_ WEIR_GUARDED_BY(mutex_) = 0;
  double next_try_ WEIR_GUARDED_BY(mutex_) = 0;  // by the run's clock
  double pause_ WEIR_GUARDED_BY(mutex_) = 0;
  threads::atomic<int> waiting_{0};  // a copy of delegated_.size(), to read without the lock
  threads::atomic<bool> lends_{false};
};

inline bool lane_value_owner::has_delegated() const {
  return std::any_of(owns.begin(), owns.end(), [](const lane_value_owners* h) { return h->has_delegated(); });
}

}  // namespace weir::detail

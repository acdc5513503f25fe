#pragma once

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/machine/core_lease.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/primitives.hpp"

namespace weir::detail {

class lane_hosts;
class run_life;
struct worker;

// An invocation that a thread without a lane's value hands to one that has a value. It is on the stack of the thread
// that waits for it, which has released its cores meanwhile.
class errand : public boost::intrusive::list_base_hook<> {
 public:
  explicit errand(std::shared_ptr<core_lease> cores) : on(std::move(cores)) {}
  virtual void run(worker& host) noexcept = 0;  // on the host's thread and these cores

  const std::shared_ptr<core_lease> on;

 protected:
  ~errand() = default;

 private:
  friend class lane_hosts;
  enum class state { waits, runs, done } is_ = state::waits;  // under the lock of the hosts
};

// A worker that may have values of each_lane(). The worker alone adds to `hosts`.
struct lane_host {
  virtual void call_for_errand() noexcept = 0;     // wakes it, if it waits for work
  virtual bool is_off_cores() const noexcept = 0;  // it waits inside an invocation; a hint
  bool has_errands() const;

  std::vector<lane_hosts*> hosts;  // of the components of which it has values

 protected:
  ~lane_host() = default;
};

// The workers that have a value of each_lane() for one component of a run. A thread on which none can be made is left
// out: it has its records done by these, since a value is used on its own thread only. Thread-safe.
class lane_hosts {
 public:
  // Before a thread makes a value. False: others have some, and one could not be made a moment ago. Each true is
  // followed by made() or failed().
  bool begin_making(double now);
  void made(lane_host& by) noexcept;                           // without memory it is no host
  bool failed(double now, std::exception_ptr cause) noexcept;  // true for the first time
  std::exception_ptr cause() const;                            // of the last failure

  // Whether some thread was left out. From then on emissions of the component wait for the end of their invocation, so
  // that no host waits for an input that waits for it. Relaxed: a host that reads an older value is waited for less.
  bool lends() const { return lends_.load(std::memory_order_relaxed); }

  // Returns once a host has run it. False: it has not run, since there is no host, all of them wait in their
  // invocations, `me` itself has a value, or the run is stopping. REQUIRES: the caller has released its cores.
  bool have_run(errand& e, const lane_host& me, const run_life& life);

  // For a host, between two activations.
  bool has_errands() const { return waiting_.load(std::memory_order_relaxed) > 0; }
  errand* take();  // null: there is none
  void has_run(errand& e);

 private:
  mutable WEIR_LOCK(lanes) mutex_;
  condition came_;  // an errand has run, or a thread has made a value or failed
  std::vector<lane_host*> hosts_ WEIR_GUARDED_BY(mutex_);
  boost::intrusive::list<errand> errands_ WEIR_GUARDED_BY(mutex_){};
  std::exception_ptr cause_ WEIR_GUARDED_BY(mutex_);
  int making_ WEIR_GUARDED_BY(mutex_) = 0;
  double next_try_ WEIR_GUARDED_BY(mutex_) = 0;  // by the run's clock
  double pause_ WEIR_GUARDED_BY(mutex_) = 0;
  threads::atomic<int> waiting_{0};  // a copy of errands_.size(), to read without the lock
  threads::atomic<bool> lends_{false};
};

inline bool lane_host::has_errands() const {
  return std::any_of(hosts.begin(), hosts.end(), [](const lane_hosts* h) { return h->has_errands(); });
}

}  // namespace weir::detail

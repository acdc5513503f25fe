#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/group_leases.hpp"
#include "runtime/engine/parked_threads.hpp"
#include "runtime/engine/work_list.hpp"
#include "runtime/machine/core_lease.hpp"
#include "runtime/streams/schedulable.hpp"
#include "runtime/threads/locks.hpp"
#include "scheduler/expect/group_share.hpp"

namespace weir::detail {

struct run_environment;
struct worker;

// The workers of one owner, or of the shared group: leases on cores, the threads that hold them, and the list of
// regions that have work. Threads are made when there is work and a lease without a thread. Thread-safe.
//
// Invariant: while a region is listed, one of three things holds. A thread of the group has a lease, and reads the list
// before it releases its cores. Or a thread has been woken or started. Or the group has no lease. While two regions are
// listed, a second thread has been woken or started, if there is a lease for it.
class group {
 public:
  // binds_to_lane: its threads are bound to all cores of their lane, for boxes that start threads of their own, which
  // inherit the binding. Else each is bound to its own core of the lane; the other cores are for oneTBB's workers.
  group(run_environment& run, std::string name, bool binds_to_lane)
      : run_(run), name_(std::move(name)), binds_to_lane_(binds_to_lane) {}

  // Lists a region that needs a worker. Wakes or starts a thread unless one is about to read the list: a region that is
  // alone on it needs none where the caller has a `poll_pending`. False, with nothing done, when the region is in
  // another group by now.
  bool enqueue(schedulable& r) noexcept;

  // While it exists, the calling thread is about to take work from the list of `to`, or of no group if null. So
  // enqueue() need not wake another thread. It is thread-local, since the user's code that runs meanwhile may send to
  // other runs.
  class poll_pending {
   public:
    explicit poll_pending(const group* to);
    ~poll_pending();
    poll_pending(const poll_pending&) = delete;
  };

  // Moves a region here from its present group, with its places on the list.
  static void move(schedulable& r, group& to) noexcept;

  // Sets the leases of a new allotment, given the lanes and the cores of the shared group: see group_leases::set().
  void set_leases(const std::vector<core_set>& lanes, const core_set& shared_cores);
  int lease_count() const;

  // Makes leases outside the cores, for threads that wait. To be called once, instead of set_leases().
  void set_leases_outside(int count);

  // Sets the weight of a region of this group; for another region nothing.
  void set_weight(schedulable& r, double weight) noexcept;

  // After an activation of this region, while others waited: charges it the seconds that this took.
  void charge(schedulable& r, double seconds) noexcept;

  // Whether a region waits for a worker. Relaxed: a hint.
  bool has_listed() const { return list_.size_hint() > 0; }

  // The seconds that its threads keep a core while others wait for it and there is work; 0 at first.
  void set_time_slice(double seconds) { time_slice_.store(seconds, std::memory_order_relaxed); }
  // Whether all that its regions do for a record takes less than waking a thread, and never waits. Only then is a
  // thread woken on a sender's core, which it occupies for that long. Relaxed: a hint.
  void set_allows_inline_send(bool may) { allows_inline_send_.store(may, std::memory_order_relaxed); }
  // Whether this worker is to release its cores between two activations.
  bool is_to_leave(const worker& w) const;

  // The loop of each thread of the group, until the run ends.
  void work(worker& w) noexcept;

  // Whether a sender may be served on its own core, by itself or by a thread that is woken there. Not if one was
  // served or a thread woken a moment ago: a frequent sender gets a worker on another core. Relaxed: a hint.
  bool may_serve_sender(double now) const { return now >= often_until_.load(std::memory_order_relaxed); }
  void note_inline_send(double now) {
    constexpr double often = 100e-6;  // seconds
    often_until_.store(now + often, std::memory_order_relaxed);
  }

  // By a sender's own thread, instead of waking a worker: takes a lease that is free now, and runs a few listed regions
  // that allow inline send. Without such a lease, or when regions are left, workers are woken.
  void run_inline(worker& guest) noexcept;

  // By a worker that helped a region inside an invocation, and had a `poll_pending` meanwhile. Runs the region to which
  // it brought records (or null), if that is listed and may batch. Then wakes a worker for the rest of the list.
  void go_on_with(schedulable* brought, worker& w) noexcept;
  // Whether a worker that helps, inside an invocation that may last as long as the run, is to release its cores. It is
  // when its time slice is over and its core is wanted, or when for some milliseconds no worker took a listed region.
  bool keeps_others_waiting(worker& w) const;

  // By a worker that goes on, between two activations: runs what boxes have left to oneTBB, and puts back what they
  // have changed of the thread. At the end of its time on the cores, a worker does this anyway.
  void tidy(worker& w) noexcept;

  // By the caller's own thread, on a machine without threads: runs one listed region; false when there is none.
  bool run_one(worker& w);

  // By a worker without cores: does this work on this lease. False, with nothing done: the run is stopping, or the
  // lease was revoked and that matters. Throws the exceptions of the work, and std::bad_alloc.
  bool run_on_lease(worker& w, const std::shared_ptr<core_lease>& on, bool even_if_revoked,
                    const std::function<void()>& work);

  // Whether invocations that begin get idle cores of the group (scheduler/expect/group_share.hpp).
  void set_divides_idle_cores(bool does) { divides_idle_cores_.store(does, std::memory_order_relaxed); }
  // By a worker for an invocation of this region: does this work on idle cores of the group as well. The worker's lease
  // is over all of them meanwhile, and its thread is bound to them all (`binds_to_all`) or to its own. False, with
  // nothing done, where it gets none. Throws std::bad_alloc before the work, and the exceptions of the work.
  bool run_on_idle_cores(worker& w, const schedulable& from, const group_share& part, bool binds_to_all,
                         const std::function<void()>& work);

  // Wakes this worker, which has a delegated invocation, if it waits for work.
  void wake_for_delegated(worker& w) noexcept;

  void wake_all();

 private:
  using group_mutex = mutex<lock_place::group>;

  class holder;
  // Around a wait inside an invocation: the thread releases its lease to another of the group, and reacquires it
  // afterwards. `any`: it may reacquire another that stands in for it and is free earlier. Before the wait it runs what
  // boxes have left to oneTBB, which is the user's code: no lock of ours is held.
  void release(worker& w) noexcept;
  void reacquire(worker& w, bool any) noexcept;
  void move_to(worker& w, std::shared_ptr<core_lease> s) noexcept;
  std::shared_ptr<core_lease> join_idle_cores(const worker& w, const schedulable& from, const group_share& part);
  void leave_idle_cores(const std::shared_ptr<core_lease>& all, const std::shared_ptr<core_lease>& own) noexcept;

  schedulable* take_next(bool for_sender = false);
  void attend_on_new_stack(schedulable& r, worker& w) noexcept;
  void begin_slice(worker& w) const;
  void run_on(worker& w, core_lease& s);
  bool run_delegated(worker& w, unique_lock<group_mutex>& lock) noexcept WEIR_NOT_ANALYSED;
  template <class Work>
  void in_arena(worker& w, const core_lease& s, const Work& work);
  void wake_thread(unique_lock<group_mutex>& lock, const schedulable* brought = nullptr) noexcept WEIR_NOT_ANALYSED;
  void wake_threads(unique_lock<group_mutex>& lock, std::size_t leases) noexcept WEIR_NOT_ANALYSED;
  int core_of_sender(const schedulable& brought);
  parked_threads::parked* parked_by_free_lease(bool for_sender);

  run_environment& run_;
  const std::string name_;
  const bool binds_to_lane_;
  mutable WEIR_LOCK(group) mutex_;
  work_list list_;
  group_leases leases_;
  threads::atomic<double> time_slice_{0};  // relaxed: a number only
  threads::atomic<bool> allows_inline_send_{false};
  threads::atomic<bool> divides_idle_cores_{false};  // relaxed
  threads::atomic<double> often_until_{0};           // by the platform's clock
  int threads_ = 0;
  std::size_t starting_ = 0;  // of these, threads that have not come to work() yet
  parked_threads parked_;
  int blocked_ = 0;  // threads without their lease inside an invocation
};

}  // namespace weir::detail

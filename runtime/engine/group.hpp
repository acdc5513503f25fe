#pragma once

#include <atomic>
#include <boost/circular_buffer.hpp>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/machine/core_lease.hpp"
#include "runtime/streams/schedulable.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

struct run_environment;
struct worker;

// The workers of one owner, or of the shared group: leases on cores, threads to hold them, and the list of regions
// that have something to do. Threads are made when there is work and a lease without one. Thread-safe.
//
// Invariant: while a region is listed, either a thread of the group is holding (and looks at the list before it
// releases its cores), or one has been woken or started, or the group has no lease. While two are, a second thread has
// been woken or started, if there is a lease for it.
class group {
 public:
  // binds_to_lane: its threads are bound to all cores of their lane, for boxes that start threads of their own, which
  // inherit that; else to its own core of them, the others being for oneTBB's workers.
  group(run_environment& run, std::string name, bool binds_to_lane)
      : run_(run), name_(std::move(name)), binds_to_lane_(binds_to_lane) {}

  // Lists a region that a worker should attend to. Wakes or starts a thread when none is there to see it: the only one
  // on the list needs none when a worker of the group is `returning`. What a worker goes on with is listed before what
  // waits already; only so many before one of those, since records may go round for ever.
  // False, and nothing is done, when the region's home is another group by now.
  bool enqueue(schedulable& r) noexcept;

  // While this exists, the calling thread is about to take work from the list of `to`, or of no group if null: so
  // enqueue() need not wake another thread. With `goes_on` regions that are listed meanwhile go to the front of the
  // list, since their records are in this core's cache. Thread-local, since between the two lies the user's code, which
  // may send to other runs.
  class returning {
   public:
    returning(const group* to, bool goes_on);
    ~returning();
    returning(const returning&) = delete;

   private:
    const group* const to_;
    const bool goes_on_;
    friend class group;
  };

  // Moves a region here from its present home, with its place on the list.
  static void move(schedulable& r, group& to) noexcept;

  // The leases of a new allotment; `beside` are the cores of the shared group. Leases that would be the same stay as
  // they are. A lane's thread is bound to a core that it shares with the shared group if there is one, so that handing
  // over wakes no other core; else to a core that a thread of this group was bound to. Without memory it throws, and
  // nothing has changed.
  void set_leases(const std::vector<core_set>& lanes, const core_set& beside);
  int lease_count() const;

  // Leases outside the cores, for threads that wait. To be called once, instead of set_leases().
  void set_leases_outside(int count);

  // Whether a region waits for a worker. A glance: no order.
  bool has_listed() const { return ready_count_.load(std::memory_order_relaxed) > 0; }

  // Seconds for which its threads keep a core that others wait for, while there is work; 0 at first.
  void set_time_slice(double seconds) { turn_.store(seconds, std::memory_order_relaxed); }
  // Whether all that its regions do for a record takes less than waking a thread, and waits for nobody: only then is a
  // thread called to a sender's core, which it would keep for as long. A hint: relaxed.
  void set_brief(bool is) { brief_.store(is, std::memory_order_relaxed); }
  // Whether this worker is to release its cores between two activations.
  bool is_to_leave(const worker& w) const;

  // What each thread of the group does until the run ends.
  void work(worker& w) noexcept;

  // Whether a sender is served on his own core, by himself or by a thread that is called there: not when one was
  // served, or a thread called, a moment ago. Who comes often is given a worker beside him. Relaxed: a hint.
  bool is_seldom(double now) const { return now >= often_until_.load(std::memory_order_relaxed); }
  void sender_came(double now) {
    constexpr double often = 100e-6;  // seconds
    often_until_.store(now + often, std::memory_order_relaxed);
  }

  // By a sender's own thread, instead of waking one of the group: holds a lease that is free at this moment, and runs
  // a few regions of the list that are brief. When there is no such lease, or something is left, workers are called.
  void run_inline(worker& guest) noexcept;

  // By a worker that helped a region inside an invocation, and put what it listed meanwhile there as one that is
  // returning: runs the region to which it brought records (or null), when that is brief and listed, and calls a worker
  // for the rest.
  void go_on_with(schedulable* brought, worker& w) noexcept;
  // Whether a worker that helps, inside an invocation that may last as long as the run, is to release its cores: its
  // turn is over and its core is wanted, or for some milliseconds regions were listed that nobody came to.
  bool keeps_others_waiting(worker& w) const;

  // By the caller's own thread, where the machine has no threads: runs one listed region; false when there is none.
  bool run_one(worker& w);

  void wake_all();

 private:
  using group_mutex = mutex<lock_place::group>;

  // A thread that waits to be called. On its own stack: waiting takes no memory.
  struct sleeper : boost::intrusive::list_base_hook<> {
    explicit sleeper(worker& w) : who(w) {}
    worker& who;
    bool called = false;  // and no longer on the list: it sees to one region, and is not there for a second
  };

  class holder;
  // Around a wait inside an invocation: the thread releases its lease to another of the group, and takes the same lease
  // again afterwards.
  void release(worker& w) noexcept;
  void reacquire(worker& w) noexcept;

  struct listed {
    schedulable* what;
    bool goes_first;  // before what was listed already
  };

  schedulable* next_ready(bool for_sender = false);
  void unlist(boost::circular_buffer<listed>::iterator at);
  void begin_slice(worker& w) const;
  void run_on(worker& w, core_lease& s);
  template <class Work>
  void in_arena(worker& w, const core_lease& s, const Work& work);
  int own_core_of(const core_set& lane, const core_set& beside) const;
  void has_left(const std::shared_ptr<core_lease>& s);
  std::shared_ptr<core_lease> free_lease(const worker& w);
  void need_thread(unique_lock<group_mutex>& lock, const schedulable* brought = nullptr) noexcept WEIR_NOT_ANALYSED;
  int core_of_sender(const schedulable& brought);
  bool has_free_lease_on(int core) const;
  sleeper* parked_on(int core);
  sleeper* parked_by_free_lease();

  run_environment& run_;
  const std::string name_;
  const bool binds_to_lane_;
  mutable WEIR_LOCK(group) mutex_;
  boost::circular_buffer<listed> ready_;  // grows, and keeps its memory
  std::atomic<int> ready_count_{0};       // a copy of ready_.size() to look at without the lock; relaxed, as it says
  int went_first_ = 0;                    // that did so since one that waited was taken
  std::atomic<std::uint32_t> taken_{0};   // off the list by workers that looked for work; relaxed: a count
  std::atomic<double> turn_{0};           // relaxed: a number only
  std::atomic<bool> brief_{false};
  std::atomic<double> often_until_{0};  // by the platform's clock
  struct place {
    std::shared_ptr<core_lease> where;
    int users = 0;  // threads of the group that hold it, or wait to have it again
  };
  std::vector<place> leases_;
  int threads_ = 0;
  boost::intrusive::list<sleeper> parked_{};  // who came last is first
  int blocked_ = 0;                           // without their lease inside an invocation
};

}  // namespace weir::detail

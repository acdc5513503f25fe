#pragma once

#include <chrono>
#include <mutex>
#include <utility>

#include <weir/threads/primitives.hpp>

// All locks of runtime/ in one list. Two checkers verify their order: clang's thread-safety analysis where it can see
// both locks (https://clang.llvm.org/docs/ThreadSafetyAnalysis.html), and each debug build while it runs.
#if defined(__clang__)
#define WEIR_ANALYSED(attribute) __attribute__((attribute))
#else
#define WEIR_ANALYSED(attribute)
#endif
#define WEIR_GUARDED_BY(lock) WEIR_ANALYSED(guarded_by(lock))
// For a function that receives a held lock as an object, which the analysis cannot follow.
#define WEIR_NOT_ANALYSED WEIR_ANALYSED(no_thread_safety_analysis)
#define WEIR_REQUIRES(...) WEIR_ANALYSED(requires_capability(__VA_ARGS__))

namespace weir::detail {

// The lock order: a thread takes a lock only while it holds none of the same line or of a later one. The user's code is
// called while no lock is held: boxes, predictors, observers, callbacks, size functions, printers, log sinks,
// destructors of field values.
// clang-format off
#define WEIR_LOCKS(lock)                                                                        \
  lock(live, none)               /* live_page: its runs, its text, its threads, its sockets */  \
  lock(process, live)            /* this_process: the runs that exist, for its end */           \
  lock(graph, process)           /* written_network: its graph is made once */                   \
  lock(link, graph)              /* run_view: whether its run still exists */                   \
  lock(stepping, link)           /* control_loop: one step at a time */                         \
  lock(looking, stepping)        /* core_budget: one look at quotas and neighbours at a time */ \
  lock(runs, looking)            /* machine_state: the runs on the machine */                   \
  lock(placing, runs)            /* placing: the allotment in force, what is fused to what */   \
  lock(learning, placing)        /* learning: models, and how many records go where */          \
  lock(decisions, learning)      /* control_loop: the controller */                             \
  lock(finishing, decisions)     /* run_life: who lets folds finish */                          \
  lock(order, finishing)         /* order_exit_entity: the positions of an ordered network */    \
  lock(region, order)            /* ordered_delivery: tickets and outputs */                    \
  lock(inlet, region)            /* unbounded_inlet: its records */                             \
  lock(writers, inlet)           /* intake: who writes into its stream */                       \
  lock(group, writers)           /* group: its leases, threads and listed regions */            \
  lock(devices, group)           /* device_slots: what runs on a device, and what waits for it */ \
  lock(workers, devices)         /* worker_pool: its threads */                                 \
  lock(life, workers)            /* run_life: how it ends */                                    \
  lock(callers, life)            /* callers: who sends and who reads */                         \
  lock(notes, callers)           /* run_notes */                                                \
  lock(hangs, notes)             /* hang_watch: what hung at the last check */                   \
  lock(stalls, hangs)            /* stall_watch: since when a run makes no progress */          \
  lock(thread_uses, stalls)      /* thread_watch: who used more threads than granted */         \
  lock(taking, thread_uses)      /* failures: one takes them out at a time */                   \
  lock(failures, taking)         /* failures: of one run */                                     \
  lock(results, failures)        /* results: that are not yet read */                           \
  lock(history, results)         /* run_history: its rows */                                    \
  lock(latency, history)         /* latency_probe: its latencies */                             \
  lock(space, latency)           /* space_available: who waits for room in a stream */          \
  lock(ranks, space)             /* ranks: what the others said of the run */                    \
  lock(handles, ranks)           /* hosted_home: who hears of labels kept at a home */            \
  lock(scopes, handles)          /* hosted_entry_entity: its instances */                         \
  lock(calls, scopes)            /* one side of a cut: calls that are open, credit */            \
  lock(session, calls)           /* session: what other ranks said of themselves */              \
  lock(local_events, session)    /* local_ranks: messages that a rank has yet to hear */         \
  lock(ledger, local_events)     /* core_ledger: who has which core */                          \
  lock(messages, ledger)         /* messenger: messages not yet delivered */                    \
  lock(controller, messages)     /* machine_state: the controller's thread sleeps on it */      \
  lock(budget, controller)       /* core_budget: the cores in use */                            \
  lock(permits, budget)          /* concurrency_limit: who waits for a permit */                \
  lock(resources, permits)       /* resource_ledger: who has how much, and who waits */          \
  lock(needs, resources)         /* learnt_need: the last amounts */                             \
  lock(batch_sizes, needs)       /* batch_choice: the times for each size */                      \
  lock(blocked, batch_sizes)     /* blocked_time: of one stream */                              \
  lock(arenas, blocked)          /* arena_cache */                                              \
  lock(clocks, arenas)           /* worker_clocks: one place */                                 \
  lock(plans, clocks)            /* per_shape: one plan is made at a time */                    \
  lock(recent_plans, plans)      /* recent_plans: those that boxes share */                      \
  lock(answers, recent_plans)    /* node: what a network answered for a variant */              \
  lock(trace, answers)           /* tracer: some of its events */                               \
  lock(logger, trace)            /* log: the logger is made once */                             \
  lock(labels, logger)           /* shape: the labels and shapes of the process */              \
  lock(types, labels)            /* known_types: the types of fields of the process */          \
  lock(pool_caches, types)       /* pool: the threads that have one */                          \
  lock(pool_blocks, pool_caches) /* pool: blocks that threads gave back */                      \
  lock(kept_threads, pool_blocks) /* kept_threads: those without a function */                   \
  lock(own_threads, kept_threads) /* process_threads: those of weir's own */                     \
  lock(communicator, own_threads) /* communicator: what its thread is asked to do */             \
  lock(outbox, communicator)     /* outbox: messages that are not yet sent */                    \
  lock(emitters, outbox)         /* emitters: memory that no worker uses */                      \
  lock(lanes, emitters)          /* lane_value_owners: who has values of each_lane() */                 \
  lock(deliveries, lanes)        /* deliveries: what the listener is yet to be told */           \
  lock(guardian, deliveries)     /* guardian: the one of the process */                         \
  lock(lane_numbers, guardian)   /* command_plan: the numbers of its lanes */                           \
  lock(box_processes, lane_numbers) /* box_processes: at work for a box */
// clang-format on

enum class lock_place {
#define WEIR_LOCK_PLACE(name, previous) name,
  WEIR_LOCKS(WEIR_LOCK_PLACE)
#undef WEIR_LOCK_PLACE
};

// For clang: a mark before and a mark behind each place of the list.
namespace lock_order {
struct WEIR_ANALYSED(capability("place")) mark {};
inline mark after_none;
#define WEIR_LOCK_MARKS(name, previous)                                      \
  inline mark before_##name WEIR_ANALYSED(acquired_after(after_##previous)); \
  inline mark after_##name WEIR_ANALYSED(acquired_after(before_##name));
WEIR_LOCKS(WEIR_LOCK_MARKS)
#undef WEIR_LOCK_MARKS
}  // namespace lock_order

// Declares a lock at its place: `WEIR_LOCK(group) mutex_;`.
#define WEIR_LOCK(place)                                                    \
  WEIR_ANALYSED(acquired_after(::weir::detail::lock_order::before_##place)) \
  WEIR_ANALYSED(acquired_before(::weir::detail::lock_order::after_##place)) \
  ::weir::detail::mutex<::weir::detail::lock_place::place>

#ifndef NDEBUG
// The two checks end the process, with a message, when the calling thread is about to break the order of the list.
void check_lock_order(lock_place place);
void note_taken(lock_place place);
void note_released(lock_place place);
void check_no_locks(const char* what);
#else
inline void check_lock_order(lock_place) {}
inline void note_taken(lock_place) {}
inline void note_released(lock_place) {}
inline void check_no_locks(const char*) {}
#endif

// A std::mutex that knows its place in the list.
template <lock_place Place>
class WEIR_ANALYSED(capability("mutex")) mutex {
 public:
  void lock() WEIR_ANALYSED(acquire_capability()) {
    check_lock_order(Place);
    native_.lock();
    note_taken(Place);
  }
  void unlock() WEIR_ANALYSED(release_capability()) {
    note_released(Place);
    native_.unlock();
  }

 private:
  threads::mutex native_;
  friend class condition;
};

template <class Mutex>
class WEIR_ANALYSED(scoped_lockable) lock_guard {
 public:
  explicit lock_guard(Mutex& m) WEIR_ANALYSED(acquire_capability(m)) : mutex_(m) { mutex_.lock(); }
  ~lock_guard() WEIR_ANALYSED(release_capability()) { mutex_.unlock(); }
  lock_guard(const lock_guard&) = delete;

 private:
  Mutex& mutex_;
};

template <class Mutex>
class WEIR_ANALYSED(scoped_lockable) unique_lock {
 public:
  explicit unique_lock(Mutex& m) WEIR_ANALYSED(acquire_capability(m)) : mutex_(m) { mutex_.lock(); }
  ~unique_lock() WEIR_ANALYSED(release_capability()) {
    if (owns_) mutex_.unlock();
  }
  unique_lock(const unique_lock&) = delete;

  void lock() WEIR_ANALYSED(acquire_capability()) {
    mutex_.lock();
    owns_ = true;
  }
  void unlock() WEIR_ANALYSED(release_capability()) {
    owns_ = false;
    mutex_.unlock();
  }

 private:
  Mutex& mutex_;
  bool owns_ = true;
  friend class condition;
};

// A std::condition_variable for these locks. A predicate is called with the lock held.
class condition {
 public:
  template <class Mutex>
  void wait(unique_lock<Mutex>& lock) {
    held_by_wait held(lock.mutex_.native_);
    native_.wait(held.lock);
  }
  template <class Mutex, class Holds>
  void wait(unique_lock<Mutex>& lock, Holds holds) {
    while (!holds()) wait(lock);
  }
  // False: the wait timed out.
  template <class Mutex, class Time>
  bool wait_until(unique_lock<Mutex>& lock, const Time& until) {
    held_by_wait held(lock.mutex_.native_);
    return native_.wait_until(held.lock, until) == std::cv_status::no_timeout;
  }
  void notify_one() noexcept { native_.notify_one(); }
  void notify_all() noexcept { native_.notify_all(); }

 private:
  struct held_by_wait {
    explicit held_by_wait(threads::mutex& m) : lock(m, std::adopt_lock) {}
    ~held_by_wait() { lock.release(); }
    held_by_wait(const held_by_wait&) = delete;
    std::unique_lock<threads::mutex> lock;
  };
  threads::condition_variable native_;
};

}  // namespace weir::detail

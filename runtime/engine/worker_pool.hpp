#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/engine/worker.hpp"
#include "runtime/machine/kept_threads.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class group;
class platform;
class run_life;
class run_owner;

// The threads of a run, and what each carries with it. Thread-safe.
class worker_pool {
 public:
  worker_pool(platform& on, const run_life& life, run_owner& run) : platform_(on), life_(life), run_(run) {}

  // Starts a thread that runs `job` as a worker of its own. It prefers this core for its first lease; -1: any core.
  // False when the system gives no thread, which is noted. The worker serves another thread once `job` has returned.
  bool start(int core, void (*job)(group& in_group, worker& me), group& in_group) noexcept;

  // Does this work on the stack of a thread that is made for it, as this worker, while the calling thread waits. Values
  // that boxes keep on a thread are the new thread's own. For calls inside others, where little of a stack is left: it
  // takes some 20 us. The thread is in no arena of oneTBB's. Throws std::system_error or std::bad_alloc, with nothing
  // done, when the system gives no thread. REQUIRES: the caller is this worker, and holds no lock.
  void run_on_new_stack(worker& w, const std::function<void()>& work);

  // The worker of a caller's thread: on a machine without threads, or of a sender that runs its own records.
  worker& caller() { return caller_; }

  // While this exists and is_in(), the calling thread acts as that worker; other threads are not let in meanwhile. It
  // looks afterwards whether the run is over. The entry is sequentially consistent, as are that look, the stop and what
  // join() reads. So join() waits for the visit, or the visitor sees the stop.
  class visit {
   public:
    explicit visit(worker_pool& in)
        : visited_(in.visited_), is_in_(!in.visited_.exchange(true, std::memory_order_seq_cst)) {}
    ~visit();
    visit(const visit&) = delete;
    bool is_in() const { return is_in_; }

   private:
    threads::atomic<bool>& visited_;
    const bool is_in_;
  };

  template <class See>
  void each(See see) {
    const lock_guard lock(mutex_);
    for (auto& w : workers_) see(*w);
    see(caller_);
  }

  // Waits for the end of all threads and visits. REQUIRES: the run is stopping and all sleepers were woken.
  void join() noexcept;

 private:
  void serve(void (*job)(group& in_group, worker& me), group& in_group, worker& me) noexcept;
  void end_thread(worker& w) noexcept;

  platform& platform_;
  const run_life& life_;
  run_owner& run_;
  WEIR_LOCK(workers) mutex_;
  std::vector<std::unique_ptr<worker>> workers_ WEIR_GUARDED_BY(mutex_);
  std::vector<started_thread> threads_ WEIR_GUARDED_BY(mutex_);  // of each worker the last
  threads::atomic<bool> may_end_{false};                         // lets those threads end once the process is exiting
  worker caller_;
  threads::atomic<bool> visited_{false};  // notified when a visit ends
};

}  // namespace weir::detail

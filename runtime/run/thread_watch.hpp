#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/machine/thread_names.hpp"
#include "runtime/run/messenger.hpp"
#include "runtime/run/placing.hpp"
#include "runtime/stages/unfold.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// Finds boxes whose invocations compute on more threads than they were granted: those of a library that starts as many
// as the machine has cores, say. Such threads compete for the cores of the lane, or for those of others.
//
// A worker has the name of the component that it works for, and threads that an invocation starts inherit it. Their CPU
// time is what the component uses beside its lanes; for threads that come and go, what the process used and no living
// thread accounts for. It is compared with the cores that its lanes have beyond their own threads. What stays unseen:
// threads that name themselves, and pools that were started before the run.
//
// Thread-safe, except that one thread at a time looks.
class thread_watch {
 public:
  thread_watch(run_environment& run, const unfolded& net, const placing& places, messenger& told)
      : run_(run), net_(net), places_(places), messages_(told), seen_(net.components.size()) {}

  // Looks at the threads of the process. Throws std::bad_alloc.
  void look();

  struct use {
    int threads = 0;   // that computed between two looks; the most so far
    double cores = 0;  // that they used beyond the grant; the most so far
  };
  std::vector<use> seen() const {  // by component
    const lock_guard lock(mutex_);
    return seen_;
  }

 private:
  struct thread {
    int component = -1;  // -1: of none
    double cpu_seconds = 0;
  };

  int component_of(thread_number who) const;

  run_environment& run_;
  const unfolded& net_;
  const placing& places_;
  messenger& messages_;
  double looked_at_ = 0;                                                  // seconds after the start
  double of_process_ = run_.outside.cpu_seconds(cpu_clock_of_process());  // CPU time at the last look
  std::map<thread_number, thread> known_;
  mutable WEIR_LOCK(thread_uses) mutex_;
  std::vector<use> seen_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::detail

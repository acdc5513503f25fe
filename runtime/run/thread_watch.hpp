#pragma once

#include <vector>

#include "runtime/machine/process_threads.hpp"
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
  thread_watch(const unfolded& net, const placing& places, messenger& told)
      : net_(net), places_(places), messages_(told), seen_(net.components.size()) {}

  // Judges what the threads of the process have computed. Throws std::bad_alloc.
  void look(const process_threads& threads);

  struct use {
    int threads = 0;   // that computed between two looks; the most so far
    double cores = 0;  // that they used beyond the grant; the most so far
  };
  std::vector<use> seen() const {  // by component
    const lock_guard lock(mutex_);
    return seen_;
  }

 private:
  const unfolded& net_;
  const placing& places_;
  messenger& messages_;
  mutable WEIR_LOCK(thread_uses) mutex_;
  std::vector<use> seen_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::detail

#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/machine/child_threads.hpp"
#include "runtime/machine/process_threads.hpp"
#include "runtime/run/learning.hpp"
#include "runtime/run/messenger.hpp"
#include "runtime/run/placing.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/unfolding/unfold.hpp"

namespace weir::detail {

// Finds boxes whose invocations compute on more threads than they were granted: those of a library that starts as many
// as the machine has cores, say. Such threads compete for the cores of the lane, or for those of others.
//
// A worker has the name of the component that it works for, and threads that an invocation starts inherit it. Their
// demand for cores is compared with the component's grant. A thread demands a core while it computes or waits for one.
// So four threads on one core are found, and a worker that sleeps meanwhile makes room for another thread. The demand
// of threads that ended is the CPU time of the process for which no living thread accounts. Threads that name
// themselves, and pools that were started before the run, stay unseen.
//
// Processes may work for a box. Then the demand of each process is compared with the grant of its lane.
//
// It also finds boxes whose invocations hold cores and compute next to nothing. They wait for I/O or a device, and
// would do so as well outside the core budget (.blocking). Left out are invocations that other processes interrupted,
// and boxes that wait for what computes: another run, threads that they started, child processes.
//
// Thread-safe, except that one thread at a time looks.
class thread_watch {
 public:
  thread_watch(run_environment& run, const unfolded& net, const placing& places, learning& learnt, messenger& messages)
      : run_(run),
        net_(net),
        places_(places),
        learning_(learnt),
        messages_(messages),
        computes_elsewhere_(net.components.size()),
        waits_(net.components.size()),
        seen_(net.components.size()) {}

  // Judges what the threads of the process have computed. Throws std::bad_alloc.
  void check(const process_threads& threads);

  struct use {
    int threads = 0;   // of its own, that computed between two checks; the most so far
    double cores = 0;  // that it wanted beyond the grant; the most so far
  };
  std::vector<use> seen() const {  // by component
    const lock_guard lock(mutex_);
    return seen_;
  }

 private:
  double wanted(int number, double passed);
  const component_state* named(std::string_view thread) const;
  void judge(const component_state& c, const process_threads& all, double by_its_own, int threads);
  void judge_processes(const component_state& c);
  void note_use(const component_state& c, int threads, double beyond, const char* remedy);

  void judge_waiting(const process_threads& all);
  double delay_of_workers(const component_state& c, const process_threads& all);

  run_environment& run_;
  const unfolded& net_;
  const placing& places_;
  learning& learning_;
  messenger& messages_;
  // Used by the observing thread alone.
  std::map<int, double> wanted_;  // by thread: at its last check, the time on cores and the wait for them
  child_threads of_children_;
  std::optional<double> elsewhere_before_;  // process_threads::elsewhere() at the first check
  std::vector<bool> computes_elsewhere_;    // by component: threads that it started did
  std::vector<bool> waits_;                 // by component: a note says so
  mutable WEIR_LOCK(thread_uses) mutex_;
  std::vector<use> seen_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::detail

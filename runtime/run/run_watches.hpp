#pragma once

#include <functional>
#include <string>
#include <vector>

#include <weir/options/options.hpp>
#include <weir/report/report.hpp>
#include "runtime/machine/process_threads.hpp"
#include "runtime/run/control_loop.hpp"
#include "runtime/run/hang_watch.hpp"
#include "runtime/run/learning.hpp"
#include "runtime/run/messenger.hpp"
#include "runtime/run/placing.hpp"
#include "runtime/run/progress.hpp"
#include "runtime/run/run_input.hpp"
#include "runtime/run/thread_watch.hpp"
#include "runtime/statistics/run_history.hpp"
#include "runtime/statistics/stall_watch.hpp"
#include "runtime/streams/results.hpp"
#include "runtime/unfolding/unfold.hpp"

namespace weir::detail {

// Watches a run at the controller's intervals: which invocations hang, which boxes compute on threads of their own, why
// it makes no progress, and how it does over time. It changes nothing in the run. Thread-safe, except that one thread
// at a time calls check().
class run_watches {
 public:
  // takes_input: records are sent to this rank. The parts and the options outlive it.
  run_watches(run_environment& run, const unfolded& net, const options& how, bool takes_input, const run_input& in,
              const results& out, const placing& places, const control_loop& control, learning& learnt,
              messenger& messages);

  // Looks at everything. `report` is called when a line of progress is due. Returns whether another check is needed:
  // an invocation runs, or it is not known yet whether the run makes progress. Throws std::bad_alloc.
  bool check(const process_threads& threads, const std::function<run_report()>& report);

  // Ends a row of the history, if one is due and the run goes on. Any thread may call it.
  void keep_history() noexcept;

  void forget_hangs() { hangs_.forget(); }  // once no thread runs any more

  const hang_watch& hangs() const { return hangs_; }
  const thread_watch& threads() const { return threads_; }
  const run_history& history() const { return history_; }
  // As stall_watch::waits_for(), at present.
  std::vector<std::string> waits_for() { return stalls_.waits_for(known()); }

 private:
  stall_watch::facts known() const;

  run_environment& run_;
  const unfolded& net_;
  const bool takes_input_, tells_observations_;
  const run_input& input_;
  const results& results_;
  const control_loop& control_;
  messenger& messages_;
  hang_watch hangs_;
  thread_watch threads_;
  run_history history_;
  stall_watch stalls_;
  progress progress_;
};

}  // namespace weir::detail

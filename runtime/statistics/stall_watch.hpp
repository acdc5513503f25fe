#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/engine/run_environment.hpp"
#include "runtime/streams/results.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/unfolding/unfold.hpp"

namespace weir::detail {

// Finds out what a run waits for that makes no progress. Progress is a record that is sent, moves on, is read or fails,
// or a call of the user's code that ends or emits. Running records pay nothing: all numbers are those of the report.
// Thread-safe, except that one thread at a time calls check().
class stall_watch {
 public:
  // Seconds without progress. A user who waits looks at the log after some seconds; shorter pauses are normal in
  // interactive programs.
  static constexpr double limit = 5;

  stall_watch(run_environment& run, const unfolded& net, const results& out) : run_(run), net_(net), results_(out) {}

  // Facts that the run's other parts know at present.
  struct facts {
    std::uint64_t sent = 0;             // records
    bool takes_input = true;            // from send; false at other ranks than the first
    bool callbacks_are_behind = false;  // and workers wait for them
  };

  struct sight {
    std::vector<std::string> to_log;
    bool is_undecided = false;  // progress was made less than `limit` ago: another check is needed
  };
  // By the controller, at intervals. Returns the first sentence of each kind, once a run. Throws std::bad_alloc.
  sight check(const facts& known);

  // One sentence for each thing that the run waits for; empty unless it has made no progress for `limit` seconds. The
  // sentences say how it is now. Throws std::bad_alloc.
  std::vector<std::string> waits_for(const facts& known);

 private:
  enum class kind {
    invocation,
    callbacks,
    results,
    limit,
    sender,
    emission,
    synchrocell,
    order,
    loop,
    rank,
    credit,
    stream,
    input
  };
  struct cause {
    kind what;
    std::string text;
  };
  struct progress {
    std::uint64_t sent = 0, came_out = 0, not_read = 0, failed = 0, steps = 0;
    bool operator==(const progress&) const = default;
  };

  std::uint64_t moved() const;
  double without_progress(const facts& known);
  std::vector<cause> causes(const facts& known, double seconds) const;
  void add_invocations(double seconds, std::vector<cause>& to) const;
  void add_full_streams(std::vector<cause>& to) const;
  void add_held(std::vector<cause>& to) const;
  void add_credit(std::vector<cause>& to) const;
  void add_waiting(std::vector<cause>& to) const;

  run_environment& run_;
  const unfolded& net_;
  const results& results_;
  mutable WEIR_LOCK(stalls) mutex_;
  progress last_ WEIR_GUARDED_BY(mutex_);
  std::optional<std::uint64_t> moved_ WEIR_GUARDED_BY(mutex_);  // nothing while the others change
  double since_ WEIR_GUARDED_BY(mutex_) = 0;  // seconds since the start of the run: the last progress that was seen
  // Used by the thread that looks.
  std::set<kind> logged_;
  std::optional<double> logged_at_;  // seconds since the start: the first sentence, until the log says that it is over
};

}  // namespace weir::detail

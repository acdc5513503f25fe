#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/mpi/failure_watch.hpp"
#include "runtime/mpi/process_ids.hpp"

namespace weir::detail::mpi {

// Which peers of the communicator are alive, judged by their messages and by whether their processes exist. Called by
// the communicator's thread, and by the guard's once the communicator is given up. Both may call note_ended().
class peer_liveness {
 public:
  using time = failure_watch::time;
  using duration = failure_watch::duration;

  // A peer is lost after `silence`. Before its first message it has `more_at_first` in addition.
  peer_liveness(int ranks, int self, duration silence, duration more_at_first, time now, process_ids processes);

  void heard(int peer) { watch_.heard(peer); }
  void said(int peer) { watch_.said(peer); }
  void ignore(int peer) { watch_.ignore(peer); }  // it is lost

  struct due {
    const std::vector<int>& greet;   // a message is due to these
    const std::vector<int>& silent;  // for too long; each is named once
    std::vector<int> ended;          // whose processes have ended, as seen every 100 ms
  };
  // Valid until the next call.
  due check(time now);

  // Adds ranks whose processes have ended to those that had before.
  void note_ended(std::vector<int>& ended) const;
  // Sorts ranks by how long they were silent, the longest first.
  void sort_by_silence(std::vector<int>& ranks);

  duration silence() const { return silence_; }
  std::string why_silent() const;
  static constexpr const char* why_ended = "its process has ended";

 private:
  const int ranks_, self_;
  const duration silence_;
  const process_ids processes_;
  failure_watch watch_;
  time processes_seen_at_{};
};

}  // namespace weir::detail::mpi

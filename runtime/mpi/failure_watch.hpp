#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace weir::detail::mpi {

// Tells which peers are lost since they say nothing, and to which something must be said so that this rank is not lost
// to them. Pure: the caller says what time it is. Used by one thread.
//
// A rank that was stopped itself, or had no core, has not heard the others meanwhile. So a peer is lost only if it was
// also silent for a quarter of that time while this rank was looking. A call of check() counts for a quarter of a
// second at most.
class failure_watch {
 public:
  using time = std::chrono::steady_clock::time_point;
  using duration = std::chrono::steady_clock::duration;

  // A peer is lost after `silence` without a message. A rank sends five in that time, so two or three may be late. A
  // peer that has sent nothing yet has `more_at_first` in addition, since it may not have started.
  failure_watch(int ranks, int self, duration silence, time now, duration more_at_first = {});

  void heard(int peer) { at(peer).silent = at(peer).silent_while_looking = {}; }
  void said(int peer) { at(peer).unsaid = {}; }
  void ignore(int peer) { at(peer).is_watched = false; }  // it has left, or is lost

  duration silence_of(int p) { return at(p).silent; }  // that was counted so far

  struct due {
    std::vector<int> greet;  // something is to be said to these, now
    std::vector<int> lost;   // once each
  };
  // Valid until the next call. Costs nothing until a thousandth of the silence has passed.
  const due& check(time now);

 private:
  struct heard_from {
    duration silent{}, silent_while_looking{}, unsaid{};
    bool is_watched = true;
  };
  heard_from& at(int p) { return peers_[static_cast<std::size_t>(p)]; }

  std::vector<heard_from> peers_;
  const duration silence_;
  time checked_at_;
  due due_;
};

}  // namespace weir::detail::mpi

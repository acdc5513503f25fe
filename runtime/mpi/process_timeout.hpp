#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

namespace weir::detail::mpi {

// A bound in this process's own time: while the process is stopped or has no core, little of that time passes. Used by
// one thread, which checks it often.
class process_timeout {
 public:
  using clock = std::chrono::steady_clock;

  explicit process_timeout(clock::duration most) : left_(most), checked_at_(clock::now()) {}

  // The time between two checks counts for a quarter of a second at most, as in failure_watch.
  bool is_over() {
    const clock::time_point now = clock::now();
    left_ -= std::min<clock::duration>(now - std::exchange(checked_at_, now), std::chrono::milliseconds(250));
    return left_ <= clock::duration::zero();
  }

 private:
  clock::duration left_;
  clock::time_point checked_at_;
};

}  // namespace weir::detail::mpi

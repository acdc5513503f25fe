#include "runtime/mpi/failure_watch.hpp"

#include <algorithm>

namespace weir::detail::mpi {

failure_watch::failure_watch(int ranks, int self, duration silence, time now, duration more_at_first)
    : peers_(static_cast<std::size_t>(ranks), {-more_at_first}), silence_(silence), checked_at_(now) {
  at(self).is_watched = false;
}

const failure_watch::due& failure_watch::check(time now) {
  due_.greet.clear();
  due_.lost.clear();
  const duration passed = now - checked_at_;
  if (passed < silence_ / 1000) return due_;
  checked_at_ = now;
  const duration counted = std::min<duration>(passed, std::chrono::milliseconds(250));
  for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
    heard_from& p = at(i);
    if (!p.is_watched) continue;
    p.silent += passed;
    p.silent_while_looking += counted;
    p.unsaid += passed;
    if (p.silent >= silence_ && p.silent_while_looking >= silence_ / 4) {
      p.is_watched = false;
      due_.lost.push_back(i);
    } else if (p.unsaid >= silence_ / 5) {
      p.unsaid = {};
      due_.greet.push_back(i);
    }
  }
  return due_;
}

}  // namespace weir::detail::mpi

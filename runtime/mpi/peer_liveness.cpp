#include "runtime/mpi/peer_liveness.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace weir::detail::mpi {

constexpr std::chrono::milliseconds process_looks{100};  // at processes: a call to the system for each

peer_liveness::peer_liveness(int ranks, int self, duration silence, duration more_at_first, time now,
                             process_ids processes)
    : ranks_(ranks),
      self_(self),
      silence_(silence),
      processes_(std::move(processes)),
      watch_(ranks, self, silence, now, more_at_first) {}

peer_liveness::due peer_liveness::check(time now) {
  const failure_watch::due& by_word = watch_.check(now);
  due all{by_word.greet, by_word.lost, {}};
  if (now - processes_seen_at_ < process_looks) return all;
  processes_seen_at_ = now;
  note_ended(all.ended);
  return all;
}

void peer_liveness::note_ended(std::vector<int>& ended) const {
  for (int r = 0; r < ranks_; ++r)
    if (r != self_ && std::ranges::find(ended, r) == ended.end() && processes_.has_ended(r)) ended.push_back(r);
}

void peer_liveness::sort_by_silence(std::vector<int>& ranks) {
  std::ranges::stable_sort(ranks, std::ranges::greater{}, [&](int r) { return watch_.silence_of(r); });
}

std::string peer_liveness::why_silent() const {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(silence_).count();
  return "it has said nothing for " + std::to_string(ms) + " ms";
}

}  // namespace weir::detail::mpi

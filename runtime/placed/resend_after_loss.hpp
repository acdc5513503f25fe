#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <weir/threads/primitives.hpp>
#include "runtime/placed/branch_ranks.hpp"
#include "runtime/placed/held_results.hpp"
#include "runtime/placed/open_calls.hpp"

namespace weir::detail {

// Keeps new calls back while those of a lost rank are sent again, so that none overtakes them. No call is resent while
// a thread sends, and none is sent before all were resent. One thread resends at a time. The caller's lock guards it,
// except where any thread may call.
class resend_after_loss {
 public:
  // A thread is about to send. False: it must not.
  bool begin_sending();
  // It has sent. True: the calling thread is to resend now.
  bool end_sending();
  // A rank was lost. True: the calling thread is to resend now. False: another thread resends, or will.
  bool rank_lost();
  // Another rank was lost since the plan: the rest of the plan must wait for calls that went to that rank.
  bool is_behind() const { return is_behind_; }
  // The plan is carried out. False: it is behind, and the calling thread is to plan anew.
  bool resent();

  // Any thread: whether new calls are kept back. Relaxed: space_available orders it.
  bool is_due() const { return is_due_.load(std::memory_order_relaxed); }

  // The calls of lost ranks, by what becomes of them.
  struct plan {
    std::vector<std::uint64_t> again;                   // numbers, in the order in which they were sent
    std::vector<std::pair<int, std::uint64_t>> failed;  // (rank, number): another try would give a second error
    std::vector<record_body*> dropped;                  // their results so far
  };
  // Their branches move no further: if they run at home, their calls may be over before what they cause. Throws
  // std::bad_alloc.
  static plan plan_of(open_calls& calls, held_results& results, const branch_ranks& branches,
                      const std::vector<int>& ranks);

 private:
  bool begin_resending();

  int sending_ = 0;                                // threads
  bool is_resending_ = false, is_behind_ = false;  // behind: a rank was lost since the resending began
  threads::atomic<bool> is_due_{false};
};

}  // namespace weir::detail

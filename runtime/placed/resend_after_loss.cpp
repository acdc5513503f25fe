#include "runtime/placed/resend_after_loss.hpp"

#include <algorithm>
#include <utility>

namespace weir::detail {

bool resend_after_loss::begin_sending() {
  if (is_due()) return false;
  ++sending_;
  return true;
}

bool resend_after_loss::end_sending() { return --sending_ == 0 && begin_resending(); }

bool resend_after_loss::rank_lost() {
  is_due_.store(true, std::memory_order_relaxed);
  is_behind_ = true;
  return sending_ == 0 && begin_resending();
}

bool resend_after_loss::begin_resending() {
  if (!is_due() || std::exchange(is_resending_, true)) return false;
  is_behind_ = false;
  return true;
}

bool resend_after_loss::resent() {
  if (std::exchange(is_behind_, false)) return false;
  is_resending_ = false;
  is_due_.store(false, std::memory_order_relaxed);
  return true;
}

resend_after_loss::plan resend_after_loss::plan_of(open_calls& calls, held_results& results,
                                                   const branch_ranks& branches, const std::vector<int>& ranks) {
  plan all;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> again;  // order, number
  calls.each([&](std::uint64_t number, open_call& c) {
    if (!c.whole || !branches.is_lost(c.rank)) return;
    if (c.has_failed) return all.failed.emplace_back(c.rank, number), void();
    again.emplace_back(c.order, number);
    if (c.branch) c.branch->moves_to.reset();
  });
  std::sort(again.begin(), again.end());
  for (const auto& [order, number] : again) all.again.push_back(number);
  for (const int rank : ranks)
    if (branches.is_lost(rank)) {
      const std::vector<record_body*> dropped = results.drop(rank, calls);
      all.dropped.insert(all.dropped.end(), dropped.begin(), dropped.end());
    }
  return all;
}

}  // namespace weir::detail

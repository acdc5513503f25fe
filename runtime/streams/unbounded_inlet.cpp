#include "runtime/streams/unbounded_inlet.hpp"

#include <algorithm>

namespace weir::detail {

std::size_t unbounded_inlet::push(record_body* const* records, std::size_t count) {
  std::size_t fitting;
  {
    const lock_guard lock(mutex_);
    fitting = std::min(count, most_ - std::min(most_, kept_.size()));
    if (kept_.reserve() < fitting) kept_.set_capacity(std::max(2 * kept_.capacity(), kept_.size() + fitting));
    arrivals_.pass(fitting);
    kept_.insert(kept_.end(), records, records + fitting);
    peak_ = std::max(peak_, kept_.size());
    count_.store(kept_.size(), std::memory_order_release);
  }
  into_.wake_worker();
  for (std::size_t i = fitting; i < count; ++i)
    entry_.fail_saying(failure_kind::too_many_held, records[i], [&] {
      return std::to_string(most_) + " records are on their way back already, option max_held";
    });
  return count;
}

std::size_t unbounded_inlet::pop(record_body** into, std::size_t most) {
  if (size() == 0) return 0;
  std::size_t taken;
  {
    const lock_guard lock(mutex_);
    taken = std::min(most, kept_.size());
    std::copy_n(kept_.begin(), taken, into);
    kept_.erase_begin(taken);
    count_.store(kept_.size(), std::memory_order_release);
    left_.pass(taken);
  }
  if (taken_) taken_();
  return taken;
}

std::size_t unbounded_inlet::peak() const {
  const lock_guard lock(mutex_);
  return peak_;
}

std::pair<stream_end::snapshot, stream_end::snapshot> unbounded_inlet::arrivals_and_departures() const {
  const lock_guard lock(mutex_);
  return {arrivals_.read(), left_.read()};
}

}  // namespace weir::detail

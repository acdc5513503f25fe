#include "runtime/engine/lane_value_owners.hpp"

#include <algorithm>
#include <chrono>
#include <new>

#include "runtime/streams/run_life.hpp"

namespace weir::detail {

namespace {

// Seconds from a failure to the next try, doubled by each: what was missing may come back, and a try may take long.
constexpr double first_retry = 0.1;

// A delegating thread checks at this interval whether the run is stopping and whether all owners are blocked.
constexpr auto check_interval = std::chrono::milliseconds(20);
// After this many checks in a row with all owners blocked, 1 s, it gives up: they may be waiting for this thread.
constexpr int most_blocked_checks = 50;

}  // namespace

bool lane_value_owners::begin_making(double now) {
  const lock_guard lock(mutex_);
  if (!owners_.empty() && now < next_try_) return false;
  ++making_;
  return true;
}

void lane_value_owners::made(lane_value_owner& by) noexcept try {
  const lock_guard lock(mutex_);
  --making_;
  pause_ = 0;
  arrived_.notify_all();
  if (std::find(owners_.begin(), owners_.end(), &by) != owners_.end()) return;
  owners_.reserve(owners_.size() + 1);
  by.owns.push_back(this);
  owners_.push_back(&by);
} catch (const std::bad_alloc&) {
}

std::exception_ptr lane_value_owners::cause() const {
  const lock_guard lock(mutex_);
  return cause_;
}

bool lane_value_owners::failed(double now, std::exception_ptr cause) noexcept {
  const lock_guard lock(mutex_);
  --making_;
  pause_ = std::max(first_retry, 2 * pause_);
  next_try_ = now + pause_;
  cause_.swap(cause);
  arrived_.notify_all();
  return !lends_.exchange(true, std::memory_order_relaxed);
}

bool lane_value_owners::delegate_invocation(delegated_invocation& call, const lane_value_owner& me,
                                            const run_life& life) {
  if (std::find(me.owns.begin(), me.owns.end(), this) != me.owns.end()) return false;
  std::vector<lane_value_owner*> owners;
  {
    unique_lock lock(mutex_);
    while (making_ > 0 && owners_.empty() && !life.is_stopping()) arrived_.wait(lock);
    if (owners_.empty() || life.is_stopping()) return false;
    owners = owners_;
    delegated_.push_back(call);
    waiting_.fetch_add(1, std::memory_order_relaxed);
  }
  for (lane_value_owner* const owner : owners) owner->wake_for_delegated();
  unique_lock lock(mutex_);
  for (int in_vain = 0; call.is_ != delegated_invocation::state::done;) {
    const bool came = arrived_.wait_until(lock, threads::clock::now() + check_interval);
    if (came || call.is_ != delegated_invocation::state::waits) continue;
    const bool all_wait =
        std::all_of(owners.begin(), owners.end(), [](const lane_value_owner* h) { return h->is_off_cores(); });
    in_vain = all_wait ? in_vain + 1 : 0;
    if (in_vain < most_blocked_checks && !life.is_stopping()) continue;
    delegated_.erase(delegated_.iterator_to(call));
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  return true;
}

delegated_invocation* lane_value_owners::take() {
  const lock_guard lock(mutex_);
  if (delegated_.empty()) return nullptr;
  delegated_invocation& call = delegated_.front();
  delegated_.pop_front();
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  call.is_ = delegated_invocation::state::runs;
  return &call;
}

void lane_value_owners::has_run(delegated_invocation& call) {
  const lock_guard lock(mutex_);
  call.is_ = delegated_invocation::state::done;
  arrived_.notify_all();
}

}  // namespace weir::detail

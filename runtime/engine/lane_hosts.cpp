#include "runtime/engine/lane_hosts.hpp"

#include <algorithm>
#include <chrono>
#include <new>

#include "runtime/streams/run_life.hpp"

namespace weir::detail {

namespace {

// Seconds from a failure to the next try, doubled by each: what was missing may come back, and a try may take long.
constexpr double first_retry = 0.1;

// While it waits, a thread looks so often whether the run stops and whether a host is left that may come.
constexpr auto between_looks = std::chrono::milliseconds(20);
// All hosts waited inside their invocations for so long: perhaps for the thread that waits for them.
constexpr int looks_in_vain = 50;

}  // namespace

bool lane_hosts::begin_making(double now) {
  const lock_guard lock(mutex_);
  if (!hosts_.empty() && now < next_try_) return false;
  ++making_;
  return true;
}

void lane_hosts::made(lane_host& by) noexcept try {
  const lock_guard lock(mutex_);
  --making_;
  pause_ = 0;
  came_.notify_all();
  if (std::find(hosts_.begin(), hosts_.end(), &by) != hosts_.end()) return;
  hosts_.reserve(hosts_.size() + 1);
  by.hosts.push_back(this);
  hosts_.push_back(&by);
} catch (const std::bad_alloc&) {
}

std::exception_ptr lane_hosts::cause() const {
  const lock_guard lock(mutex_);
  return cause_;
}

bool lane_hosts::failed(double now, std::exception_ptr cause) noexcept {
  const lock_guard lock(mutex_);
  --making_;
  pause_ = std::max(first_retry, 2 * pause_);
  next_try_ = now + pause_;
  cause_.swap(cause);
  came_.notify_all();
  return !lends_.exchange(true, std::memory_order_relaxed);
}

bool lane_hosts::have_run(errand& e, const lane_host& me, const run_life& life) {
  if (std::find(me.hosts.begin(), me.hosts.end(), this) != me.hosts.end()) return false;
  std::vector<lane_host*> hosts;
  {
    unique_lock lock(mutex_);
    while (making_ > 0 && hosts_.empty() && !life.is_stopping()) came_.wait(lock);
    if (hosts_.empty() || life.is_stopping()) return false;
    hosts = hosts_;
    errands_.push_back(e);
    waiting_.fetch_add(1, std::memory_order_relaxed);
  }
  for (lane_host* const host : hosts) host->call_for_errand();
  unique_lock lock(mutex_);
  for (int in_vain = 0; e.is_ != errand::state::done;) {
    const bool came = came_.wait_until(lock, threads::clock::now() + between_looks);
    if (came || e.is_ != errand::state::waits) continue;
    const bool all_wait = std::all_of(hosts.begin(), hosts.end(), [](const lane_host* h) { return h->is_off_cores(); });
    in_vain = all_wait ? in_vain + 1 : 0;
    if (in_vain < looks_in_vain && !life.is_stopping()) continue;
    errands_.erase(errands_.iterator_to(e));
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  return true;
}

errand* lane_hosts::take() {
  const lock_guard lock(mutex_);
  if (errands_.empty()) return nullptr;
  errand& e = errands_.front();
  errands_.pop_front();
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  e.is_ = errand::state::runs;
  return &e;
}

void lane_hosts::has_run(errand& e) {
  const lock_guard lock(mutex_);
  e.is_ = errand::state::done;
  came_.notify_all();
}

}  // namespace weir::detail

#include "runtime/engine/ordered_delivery.hpp"

#include <algorithm>
#include <iterator>
#include <new>

#include <weir/record/record.hpp>

namespace weir::detail {

// A few batches beyond the lanes may be done and wait for their turn, so that one slow invocation does not immediately
// stop the other lanes. One lane needs none. Batches without outputs keep nothing, so any number may.
bool ordered_delivery::may_begin() const {
  const int lanes = lanes_.load(std::memory_order_acquire);
  const std::uint64_t window = lanes == 1 ? 1 : 2 * static_cast<std::uint64_t>(lanes) + 2;
  return !is_held() && active_ < lanes && begun_ - turn_.load(std::memory_order_relaxed) - empties_ < window;
}

void ordered_delivery::note_empty(std::uint64_t number) {
  const auto next = std::find_if(empty_.begin(), empty_.end(), [&](const interval& i) { return i.first > number; });
  const bool joins_before = next != empty_.begin() && std::prev(next)->end == number;
  const bool joins_next = next != empty_.end() && next->first == number + 1;
  if (joins_before && joins_next) {
    std::prev(next)->end = next->end;
    empty_.erase(next);
  } else if (joins_before) {
    std::prev(next)->end = number + 1;
  } else if (joins_next) {
    next->first = number;
  } else {
    empty_.insert(next, {number, number + 1});
  }
  ++empties_;
}

ordered_delivery::ending ordered_delivery::finish(std::uint64_t number, outputs& out) noexcept {
  const lock_guard lock(mutex_);
  --active_;
  if (turn_.load(std::memory_order_relaxed) == number) {
    delivering_ = true;
    return ending::delivers;
  }
  try {
    if (out.empty()) {
      note_empty(number);
    } else if (spare_.empty()) {
      spare_.reserve(finished_.size() + 1);  // room for all that there will be
      finished_.emplace(number, outputs()).first->second.swap(out);
    } else {
      auto kept = std::move(spare_.back());
      spare_.pop_back();
      kept.key() = number;
      kept.mapped().swap(out);
      finished_.insert(std::move(kept));
    }
    return ending::waits;
  } catch (const std::bad_alloc&) {
    return ending::without_memory;
  }
}

bool ordered_delivery::pass_turn(outputs& out) noexcept {
  const lock_guard lock(mutex_);
  std::uint64_t next = turn_.load(std::memory_order_relaxed) + 1;
  if (!empty_.empty() && empty_.front().first == next) {
    next = empty_.front().end;
    empties_ -= next - empty_.front().first;
    empty_.erase(empty_.begin());
  }
  turn_.store(next, std::memory_order_release);
  if (turn_waiters_) turn_passed_.notify_all();
  const auto waiting = finished_.find(next);
  if (waiting == finished_.end()) return delivering_ = false;
  waiting->second.swap(out);
  spare_.push_back(finished_.extract(waiting));
  return true;
}

void ordered_delivery::stop_delivering() noexcept {
  const lock_guard lock(mutex_);
  delivering_ = false;
}

void ordered_delivery::keep_stuck(outputs& out) noexcept {
  const lock_guard lock(mutex_);
  stuck_.swap(out);
  is_stuck_.store(true, std::memory_order_relaxed);
  delivering_ = false;
}

ordered_delivery::outputs ordered_delivery::take_stuck(outputs buffer) noexcept {
  const lock_guard lock(mutex_);
  if (stuck_.empty()) return buffer;
  delivering_ = true;
  is_stuck_.store(false, std::memory_order_relaxed);
  stuck_.swap(buffer);
  return buffer;
}

ordered_delivery::task ordered_delivery::possible_task() const {
  const lock_guard lock(mutex_);
  if (!stuck_.empty()) return stuck_.front().to->has_room() ? task::deliver : task::none;
  return may_begin() ? task::begin : task::none;
}

void ordered_delivery::wait_until(const std::function<bool()>& holds) {
  unique_lock lock(mutex_);
  ++turn_waiters_;
  turn_passed_.wait(lock, holds);
  --turn_waiters_;
}

void ordered_delivery::wake_waiters() {
  const lock_guard lock(mutex_);
  turn_passed_.notify_all();
}

void ordered_delivery::hold() {
  const lock_guard lock(mutex_);
  is_held_.store(true, std::memory_order_relaxed);
}

void ordered_delivery::release() {
  const lock_guard lock(mutex_);
  is_held_.store(false, std::memory_order_relaxed);
  turn_passed_.notify_all();
}

bool ordered_delivery::rest_if_held() {
  const lock_guard lock(mutex_);
  if (is_held()) --active_;
  return is_held();
}

void ordered_delivery::end_rest() {
  const lock_guard lock(mutex_);
  ++active_;
}

bool ordered_delivery::is_quiet() const {
  const lock_guard lock(mutex_);
  return active_ == 0 && !delivering_ && stuck_.empty() && finished_.empty() && empty_.empty();
}

std::size_t ordered_delivery::drop_all() {
  std::size_t dropped = 0;
  const auto drop = [&](outputs& kept) {
    for (const outgoing_record& p : kept) drop_body(p.what);
    dropped += kept.size();
    kept.clear();
  };
  drop(stuck_);
  for (auto& [number, kept] : finished_) drop(kept);
  finished_.clear();
  empty_.clear();
  empties_ = 0;
  return dropped;
}

}  // namespace weir::detail

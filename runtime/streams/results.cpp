#include "runtime/streams/results.hpp"

#include <algorithm>

#include "runtime/record/record.hpp"

namespace weir::detail {

std::size_t results::push(record_body* const* records, std::size_t count) {
  const lock_guard lock(mutex_);
  if (bounded_) {
    const std::size_t left = kept_.size() < capacity_ ? capacity_ - kept_.size() : 0;
    if (count > left) count = left;
  }
  if (kept_.capacity() - kept_.size() < count) kept_.reserve(std::max(2 * kept_.capacity(), kept_.size() + count));
  for (std::size_t i = 0; i < count; ++i)
    if (records[i]->order) leave_context(*records[i]);
  came_.pass(count);
  kept_.insert(kept_.end(), records, records + count);
  note_count();
  if (kept_.size() > peak_) peak_ = kept_.size();
  if (waiting_ && count) arrived_.notify_one();
  return count;
}

bool results::has_room() const { return !bounded_.load() || count_.load() < capacity_; }

bool results::is_idle() const { return count_.load(std::memory_order_acquire) == 0; }

void results::take(std::vector<record_body*>& into) {
  into.clear();
  std::uint64_t first;
  {
    const lock_guard lock(mutex_);
    into.swap(kept_);
    first = left_.pass(into.size());
    note_count();
  }
  left_.measure(first, into.data(), into.size());
}

void results::wake() {
  const lock_guard lock(mutex_);
  arrived_.notify_all();
}

void results::set_bounded(bool bounded) {
  if (bounded_.exchange(bounded) && !bounded) space.notify();
}

bool results::bounded() const { return bounded_.load(); }

std::pair<stream_end::reading, stream_end::reading> results::came_and_left() const {
  const lock_guard lock(mutex_);
  return {came_.read(), left_.read()};
}

std::size_t results::peak() const {
  const lock_guard lock(mutex_);
  return peak_;
}

}  // namespace weir::detail

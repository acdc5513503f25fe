#include "runtime/engine/priority_window.hpp"

#include <algorithm>
#include <array>

#include <weir/record/record.hpp>

namespace weir::detail {

std::int64_t priority_window::value_of(const record_body& r) const {
  const int slot = r.shape->find(tag_);
  return slot < 0 ? 0 : static_cast<std::int64_t>(r.slots()[slot]);
}

void priority_window::fill(stream& from) {
  const std::size_t most = std::min(largest, from.limit());
  if (waiting_.size() >= most) return;
  waiting_.reserve(largest);
  seen_.reserve(largest);
  std::array<record_body*, largest> come;
  const std::size_t count = from.pop(come.data(), most - waiting_.size());
  for (std::size_t i = 0; i < count; ++i) waiting_.push_back({come[i], value_of(*come[i]), come[i]->where});
}

// The place of the record that is taken next. REQUIRES: there is one.
std::size_t priority_window::next() {
  if (++taken_ % oldest_one_in == 0) return 0;
  seen_.clear();
  std::size_t best = 0;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const waiting& w = waiting_[i];
    const bool is_higher = i == 0 || w.value > waiting_[best].value;
    if (is_higher && std::find(seen_.begin(), seen_.end(), w.where) == seen_.end()) best = i;
    seen_.push_back(w.where);
  }
  return best;
}

record_body* priority_window::take(std::size_t at) {
  record_body* const r = waiting_[at].record;
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(at));
  size_.store(waiting_.size(), std::memory_order_relaxed);
  return r;
}

std::size_t priority_window::pop(stream& from, record_body** into, std::size_t most) {
  std::size_t count = 0;
  for (; count < most; ++count) {
    fill(from);
    if (waiting_.empty()) break;
    into[count] = take(next());
  }
  return count;
}

record_body* priority_window::drop_one() { return waiting_.empty() ? nullptr : take(0); }

}  // namespace weir::detail

#include "runtime/streams/results.hpp"

#include <algorithm>
#include <utility>

#include <weir/record/record.hpp>
#include "runtime/streams/order.hpp"

namespace weir::detail {

std::size_t results::push(record_body* const* records, std::size_t count) {
  bool wakes;
  {
    const lock_guard lock(mutex_);
    count = keep(records, count);
    wakes = count > 0 && std::exchange(waiting_, false);
  }
  if (wakes) arrived_.notify_one();  // a reader that is woken under the lock sleeps again, until it is free
  return count;
}

std::size_t results::keep(record_body* const* records, std::size_t count) {
  if (bounded_) count = std::min(count, kept_.size() < capacity_ ? capacity_ - kept_.size() : 0);
  if (kept_.capacity() - kept_.size() < count) kept_.reserve(std::max(2 * kept_.capacity(), kept_.size() + count));
  for (std::size_t i = 0; i < count; ++i)
    if (records[i]->order) leave_network(*records[i]);
  arrivals_.pass(count);
  kept_.insert(kept_.end(), records, records + count);
  note_count();
  if (kept_.size() > peak_) peak_ = kept_.size();
  return count;
}

// Its position is now a probe of its latency, its place in flight, or both.
void results::leave_network(record_body& r) noexcept {
  if (!bounded_ || !in_flight_.is_on()) return leave_context(r);
  order_slot* place = r.order;
  if (&place->listener() != &in_flight_) place = place->outer();
  if (!place) return leave_context(r);
  if (place != r.order) {
    place->hold();
    std::exchange(r.order, place)->let_go();
  }
  has_places_ = true;
}

bool results::has_room() const { return !bounded_.load() || count_.load() < capacity_; }

bool results::is_idle() const { return count_.load(std::memory_order_acquire) == 0; }

void results::take(std::vector<record_body*>& into) {
  into.clear();
  std::uint64_t first;
  bool in_flight;
  {
    const lock_guard lock(mutex_);
    into.swap(kept_);
    first = left_.pass(into.size());
    in_flight = std::exchange(has_places_, false);
    note_count();
  }
  if (in_flight)
    for (record_body* const r : into) leave_context(*r);
  left_.measure(first, into.data(), into.size());
}

void results::wake() {
  const lock_guard lock(mutex_);
  arrived_.notify_all();
}

void results::set_bounded(bool bounded) {
  if (!bounded_.exchange(bounded) || bounded) return;
  {
    const lock_guard lock(mutex_);
    if (std::exchange(has_places_, false))
      for (record_body* const r : kept_) leave_context(*r);
  }
  space.notify();
}

bool results::bounded() const { return bounded_.load(); }

std::pair<stream_end::snapshot, stream_end::snapshot> results::arrivals_and_departures() const {
  const lock_guard lock(mutex_);
  return {arrivals_.read(), left_.read()};
}

std::size_t results::peak() const {
  const lock_guard lock(mutex_);
  return peak_;
}

}  // namespace weir::detail

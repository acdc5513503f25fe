#include "runtime/streams/in_flight_limit.hpp"

namespace weir::detail {

namespace {

void raise(threads::atomic<std::uint64_t>& peak, std::uint64_t to) {
  std::uint64_t seen = peak.load(std::memory_order_relaxed);
  while (seen < to && !peak.compare_exchange_weak(seen, to, std::memory_order_relaxed)) {
  }
}

}  // namespace

order_slot* in_flight_limit::place_for(std::uint64_t bytes, order_slot* starter) {
  order_slot* const place = order_slot::make(*this, starter);
  if (starter) starter->hold();
  place->number = bytes;
  return place;
}

order_slot* in_flight_limit::starting_place(bool is_in_ordered) {
  order_slot* const starter = order_slot::make(*this, nullptr);
  starter->number = is_in_ordered ? in_ordered : 0;
  return starter;
}

bool in_flight_limit::try_enter(order_slot& place) {
  if (has_entered(place)) return true;
  if (goes_first(place)) {
    enter_anyway(place);
    return true;
  }
  std::uint64_t records = records_.load(std::memory_order_relaxed);
  do
    if (most_ > 0 && records >= most_) return false;
  while (!records_.compare_exchange_weak(records, records + 1, std::memory_order_acquire, std::memory_order_relaxed));
  std::uint64_t bytes = bytes_.load(std::memory_order_relaxed);
  if (counts_bytes()) do
      if (!fits(place.number, bytes)) {
        leave(0);
        space.notify();  // another may have found no room meanwhile
        return false;
      }
    while (!bytes_.compare_exchange_weak(bytes, bytes + place.number, std::memory_order_acquire,
                                         std::memory_order_relaxed));
  entered(place, records + 1, bytes + place.number);
  return true;
}

void in_flight_limit::enter_anyway(order_slot& place) {
  const std::uint64_t records = records_.fetch_add(1, std::memory_order_acquire) + 1;
  entered(place, records, bytes_.fetch_add(place.number, std::memory_order_acquire) + place.number);
}

void in_flight_limit::entered(order_slot& place, std::uint64_t records, std::uint64_t bytes) {
  place.tally.store(1, std::memory_order_relaxed);
  if (order_slot* const starter = place.outer()) starter->tally.fetch_add(1, std::memory_order_relaxed);
  raise(peak_, records);
  if (counts_bytes()) raise(bytes_peak_, bytes);
}

bool in_flight_limit::has_room_for(const order_slot& place) const {
  return goes_first(place) || ((most_ == 0 || records_.load(std::memory_order_acquire) < most_) &&
                               (!counts_bytes() || fits(place.number, bytes_.load(std::memory_order_acquire))));
}

void in_flight_limit::is_over(order_slot& place) noexcept {
  const bool was_in = has_entered(place);  // never of an initialiser's position: its places hold it
  if (was_in) {
    leave(place.number);
    // Afterwards: an initialiser with none in flight enters whatever the limit, and this record does not count any
    // more.
    if (place.outer()) place.outer()->tally.fetch_sub(1, std::memory_order_release);
  }
  order_slot::destroy(&place);
  if (was_in) space.notify();
}

void in_flight_limit::leave(std::uint64_t bytes) noexcept {
  if (bytes > 0) bytes_.fetch_sub(bytes, std::memory_order_release);
  records_.fetch_sub(1, std::memory_order_release);
}

in_flight_limit::snapshot in_flight_limit::seen() const {
  return {records_.load(std::memory_order_relaxed), peak_.load(std::memory_order_relaxed),
          bytes_.load(std::memory_order_relaxed), bytes_peak_.load(std::memory_order_relaxed)};
}

}  // namespace weir::detail

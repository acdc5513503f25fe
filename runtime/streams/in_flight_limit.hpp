#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/threads/primitives.hpp>
#include "runtime/streams/blocked_time.hpp"
#include "runtime/streams/channel.hpp"
#include "runtime/streams/order.hpp"
#include "runtime/threads/short_wait.hpp"

namespace weir::detail {

// The limit on records in flight in a run as a whole (options max_in_flight and max_bytes_in_flight). A record is in
// flight from the moment when it is let in until all that it caused has left, was absorbed, is held in a synchrocell or
// has failed. Thread-safe.
//
// A record that is counted has a *place*: an order_slot around all others, so the last record that it causes gives the
// place up. Without a limit there are no places, and records cost nothing more.
//
// Never more records have entered than the limit says. The same holds for bytes, but for a record that alone is larger:
// it enters while the others in flight have none. The exception are initialisers in ordered networks: what others cause
// waits there until such an initialiser is over, and would keep all places. So each of them may have one record in
// flight whatever the limit.
class in_flight_limit final : public position_listener {
 public:
  // 0: no limit. With `most_bytes`, places know the bytes of their records.
  in_flight_limit(std::size_t most, std::uint64_t most_bytes) : most_(most), most_bytes_(most_bytes) {}

  bool is_on() const { return most_ > 0 || most_bytes_ > 0; }
  bool counts_bytes() const { return most_bytes_ > 0; }

  // A place for a record of this size, which has not entered yet. starter: the outermost position of the initialiser
  // that gives it, or null. Throws std::bad_alloc.
  order_slot* place_for(std::uint64_t bytes, order_slot* starter = nullptr);
  // The outermost position of an initialiser that is to be held back. It is not counted itself; each record that the
  // initialiser gives gets a place of its own within it. Throws std::bad_alloc.
  order_slot* starting_place(bool is_in_ordered);

  // Lets the place in if there is room, or if it is in. By its only holder, and one thread for each initialiser.
  bool try_enter(order_slot& place);
  // Lets it in beyond the limit, where waiting for room would never end.
  void enter_anyway(order_slot& place);
  // Whether try_enter() may succeed.
  bool has_room_for(const order_slot& place) const;
  static bool has_entered(const order_slot& place) { return place.tally.load(std::memory_order_relaxed) > 0; }

  // Where senders and initialisers wait for room.
  space_available space;
  short_waits waits;
  blocked_time blocked;  // how long they did
  void wake() noexcept { space.notify_now(); }

  struct snapshot {
    std::uint64_t records = 0, peak = 0, bytes = 0, bytes_peak = 0;
  };
  snapshot seen() const;
  std::size_t most() const { return most_; }
  std::uint64_t most_bytes() const { return most_bytes_; }

 private:
  void is_over(order_slot& place) noexcept override;
  void entered(order_slot& place, std::uint64_t records, std::uint64_t bytes);
  static bool goes_first(const order_slot& place) {
    const order_slot* const starter = place.outer();
    return starter && starter->number == in_ordered && starter->tally.load(std::memory_order_acquire) == 0;
  }
  bool fits(std::uint64_t bytes, std::uint64_t now) const {
    return now == 0 || (now <= most_bytes_ && bytes <= most_bytes_ - now);
  }
  void leave(std::uint64_t bytes) noexcept;

  // The number of a place is its bytes, and its tally 1 while it is in. For an initialiser's position the number says
  // where it is, and the tally how many of its records are in.
  static constexpr std::uint64_t in_ordered = 1;

  const std::size_t most_;
  const std::uint64_t most_bytes_;
  // Entering acquires what leaving released: a record that is let in sees all effects of the record whose room it
  // takes.
  alignas(64) threads::atomic<std::uint64_t> records_{0}, bytes_{0};
  threads::atomic<std::uint64_t> peak_{0}, bytes_peak_{0};  // relaxed: numbers only
};

}  // namespace weir::detail

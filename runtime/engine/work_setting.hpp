#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace weir::detail {

// How a region works on its records, as the run's plans say. Plain data, so small that it is published by one store.
struct work_setting {
  static constexpr std::size_t largest_batch = 64;  // beyond it a hand-over costs under a nanosecond a record already

  // One record of these is timed in all boxes, including the sampled ones (component_pace::is_sampled()). It is chosen
  // by number, not by the clock: the first record after some time tends to follow one that took long. Where all boxes
  // are inlined it is `sparse_sampling`: that keeps the cost of timing, about 60 ns a box, near a nanosecond a record.
  // Where it is `sparse_sampling`, or 1, since nothing is known, there is a limit by time besides
  // (worker::may_time_short()).
  std::uint8_t timed_one_in = 1;
  static constexpr std::uint8_t sparse_sampling = 64;

  std::uint8_t batch = 1, most_in_batch = 1;  // target and maximum of a batch, which grows with the queue

  // Whether a record takes less time here than waking a thread for it would, and never waits. Then a sender may run it
  // (option inline_send), or have it run on the sender's core.
  std::uint8_t allows_inline_send : 1 = false;
  // Whether a plan knows how long a record takes. Until then the region goes by its first activations.
  std::uint8_t is_known : 1 = false;
  std::uint8_t unused : 6 = 0;  // has a value: settings are compared by their bytes

  // While no plan knows how long records take, a region goes by its activations: after some short ones in a row it
  // expects more of that length. Where records were short in the run before, the first activation is enough, and until
  // it ends few records go together.
  work_setting expecting(double seconds) const {
    work_setting s = *this;
    const double most = std::clamp(batch_seconds / seconds, 1.0 + unsure_batch, double{largest_batch});
    s.batch = s.most_in_batch = static_cast<std::uint8_t>(most);
    return s;
  }
  work_setting expecting_short() const {
    work_setting s = *this;
    s.batch = s.most_in_batch = unsure_batch;
    return s;
  }
  work_setting expecting_nothing() const {
    work_setting s = *this;
    s.batch = s.most_in_batch = 1;
    return s;
  }
  bool is_unsure() const { return !is_known && batch <= unsure_batch; }
  static constexpr std::uint8_t unsure_batch = 2;
  static constexpr int enough_short = 4;                 // in a row
  static constexpr double short_below = 5e-6;            // seconds of one record
  static constexpr std::size_t capacity_if_short = 256;  // places, where they are chosen automatically
  static constexpr double batch_seconds = 50e-6;         // some wake-ups

  // Whether a record takes long enough that each is worth a worker; also true while its time is unknown.
  bool takes_one_by_one() const { return batch == 1; }
  // Whether several records, with all that they cause here, are short enough that they hardly delay other threads.
  bool may_batch() const { return most_in_batch > 1; }

  friend bool operator==(const work_setting&, const work_setting&) = default;
};
static_assert(sizeof(work_setting) == 4);

}  // namespace weir::detail

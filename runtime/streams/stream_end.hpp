#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <weir/threads/primitives.hpp>

namespace weir::detail {

class stream_monitor;
struct record_body;

// One end of a stream: how many records passed it and when. The time that all records spend in the stream is the sum of
// the times at which they left minus the sum of the times at which they arrived. Each end keeps its own sum and does
// not read the other's. That time, divided by the time that passed, is the mean number of records in the stream. This
// is Little's law (J. D. C. Little, A proof for the queuing formula L = lambda W, Operations Research 9, 1961).
//
// The clock is read for each of the first 64 records, once for records that pass together. Then it is read for one in
// 64, which stands for all of them, and after 16,384 for one in 512. The number of the row chooses the sample in it,
// alike for both ends. Multiples of the golden ratio spread it evenly, so that a batch does not show the same place
// each time.
//
// The reader sums bytes where records leave, once they are its own: the size function is the user's, and is called
// without a lock.
//
// One thread at a time calls pass(). Any thread may call count() and measure(). A thread that calls read() keeps the
// others from pass() meanwhile.
class stream_end {
 public:
  explicit stream_end(stream_monitor& monitor);

  // Counts records that pass. Returns the number of the first of them.
  std::uint64_t pass(std::size_t count) {
    const std::uint64_t before = count_.load(std::memory_order_relaxed), after = before + count;
    if (after > next_) note(before, after);
    count_.store(after, std::memory_order_relaxed);
    return before;
  }

  // Asks for the bytes of the samples among these records, which have passed already. `first` is the number of the
  // first.
  void measure(std::uint64_t first, record_body* const* records, std::size_t count) {
    if (!std::isnan(bytes_.load(std::memory_order_relaxed))) ask_bytes(first, records, count);
  }

  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

  struct snapshot {
    bool is_watched = false;
    std::uint64_t count = 0;
    std::uint64_t stood_for = 0;    // records that the samples stand for
    std::uint64_t nanoseconds = 0;  // the sum of the samples' times since the start of the run; it wraps, differences
                                    // do not
    double bytes = 0;               // of the same records, where they leave; NaN: unknown
  };
  snapshot read() const;

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  [[gnu::noinline]] void note(std::uint64_t before, std::uint64_t after);
  [[gnu::noinline]] void ask_bytes(std::uint64_t first, record_body* const* records, std::size_t count);

  stream_monitor& monitor_;
  threads::atomic<std::uint64_t> count_{0};
  std::uint64_t next_;  // the number of the next sample; never: there is none
  std::uint64_t nanoseconds_ = 0;
  threads::atomic<double> bytes_;  // relaxed: a number only; NaN for good once unknown
};

// The mean number of records between two ends, over the `seconds` from the start of the run until now. NaN when they
// are not watched or no time has passed. An estimate beyond 64 records.
double mean_between(const stream_end::snapshot& arrivals, const stream_end::snapshot& left, double seconds);

// The bytes of all records that came, computed from the ones that left. NaN: unknown, for example before any has left.
// An estimate beyond 64 records, exact for records of equal size.
double bytes_of_all(const stream_end::snapshot& arrivals, const stream_end::snapshot& left);

}  // namespace weir::detail

#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace weir::detail {

class stream_monitor;
struct record_body;

// One end of a stream: how many records passed it and when. What records spend in the stream together is the sum of
// the times at which they left less the sum of those at which they came: each end keeps its own sum, and neither looks
// at the other. By Little's law (J. D. C. Little, A proof for the queuing formula L = lambda W, Operations Research 9,
// 1961) that over the time that passed is the mean number of records in the stream, over time.
//
// The clock is read for the first 64 records, once for those that pass together, then for one in 64, which stands for
// all of them, and after 16,384 for one in 512. Which one of a row that is the number of the row says, to both ends
// alike: the multiples of the golden ratio spread it evenly, so that a batch does not show the same place each time.
//
// Bytes are summed where records leave, by the reader, once they are his: the size function is the user's, and no lock
// is held while it is called.
//
// pass() by one thread at a time; count() and measure() by anyone; read() by whoever keeps the others from pass()
// meanwhile.
class stream_end {
 public:
  explicit stream_end(stream_monitor& monitor);

  // So many records pass. Returns the number of the first of them.
  std::uint64_t pass(std::size_t count) {
    const std::uint64_t before = count_.load(std::memory_order_relaxed), after = before + count;
    if (after > next_) note(before, after);
    count_.store(after, std::memory_order_relaxed);
    return before;
  }

  // Asks for the bytes of those records that stand for others. They have passed; the first has this number.
  void measure(std::uint64_t first, record_body* const* records, std::size_t count) {
    if (!std::isnan(bytes_.load(std::memory_order_relaxed))) ask_bytes(first, records, count);
  }

  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

  struct reading {
    bool is_watched = false;
    std::uint64_t count = 0;
    std::uint64_t stood_for = 0;    // records that those looked at stand for
    std::uint64_t nanoseconds = 0;  // the sum of their times since the start of the run; it wraps, differences do not
    double bytes = 0;               // of the same records, where they leave; NaN: not known
  };
  reading read() const;

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  [[gnu::noinline]] void note(std::uint64_t before, std::uint64_t after);
  [[gnu::noinline]] void ask_bytes(std::uint64_t first, record_body* const* records, std::size_t count);

  stream_monitor& monitor_;
  std::atomic<std::uint64_t> count_{0};
  std::uint64_t next_;  // the record that is looked at next; never: none is
  std::uint64_t nanoseconds_ = 0;
  std::atomic<double> bytes_;  // relaxed: a number only; NaN for good once it is not known
};

// The mean number of records between two ends over `seconds`, from the start of the run until now; NaN when they are
// not watched or no time has passed. Of more than 64 records an estimate.
double mean_between(const stream_end::reading& came, const stream_end::reading& left, double seconds);

// The bytes of all records that came, by those that left; NaN: not known, as before any has left. Of more than 64
// records an estimate, exact for records alike.
double bytes_of_all(const stream_end::reading& came, const stream_end::reading& left);

}  // namespace weir::detail

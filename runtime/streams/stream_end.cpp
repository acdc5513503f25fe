#include "runtime/streams/stream_end.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/streams/spread_samples.hpp"
#include "runtime/streams/stream_monitor.hpp"

namespace weir::detail {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// The length of the row, from a record on, of which one is sampled. One in 64 is as often as short boxes are timed; two
// reads of the clock, 60 ns, then cost each record a nanosecond. One in 512 is enough for many records, and costs a
// tenth of that. Each length is a multiple of the shorter ones, and begins at a multiple of itself.
std::uint64_t spacing(std::uint64_t record) { return record < 64 ? 1 : record < 16384 ? 64 : 512; }

// How many records the samples among the first `count` stand for.
std::uint64_t stood_for(std::uint64_t count) {
  const std::uint64_t in_a_row = spacing(count), first = count / in_a_row * in_a_row;
  return count > chosen_of_row(first, in_a_row) ? first + in_a_row : first;
}

}  // namespace

stream_end::stream_end(stream_monitor& monitor)
    : monitor_(monitor), next_(monitor.watches() ? 0 : never), bytes_(monitor.measures_bytes() ? 0 : unknown) {}

void stream_end::note(std::uint64_t before, std::uint64_t after) {
  const auto now = static_cast<std::uint64_t>(std::llround(1e9 * monitor_.time()));
  nanoseconds_ += (stood_for(after) - stood_for(before)) * now;
  next_ = next_chosen(after, spacing);
}

void stream_end::ask_bytes(std::uint64_t first, record_body* const* records, std::size_t count) {
  for (std::uint64_t n = next_chosen(first, spacing); n < first + count; n = next_chosen(n + 1, spacing))
    bytes_.fetch_add(static_cast<double>(spacing(n)) * monitor_.bytes_of(records[n - first]),
                     std::memory_order_relaxed);
}

stream_end::snapshot stream_end::read() const {
  return {next_ != never, count(), stood_for(count()), nanoseconds_, bytes_.load(std::memory_order_relaxed)};
}

double mean_between(const stream_end::snapshot& arrivals, const stream_end::snapshot& left, double seconds) {
  if (!arrivals.is_watched || !(seconds > 0)) return unknown;
  if (arrivals.stood_for == 0) return 0;
  // Records that are still in the stream have been there until now.
  const auto now = static_cast<std::uint64_t>(std::llround(1e9 * seconds));
  const std::uint64_t inside = (arrivals.stood_for - left.stood_for) * now;
  const auto together = static_cast<std::int64_t>(left.nanoseconds - arrivals.nanoseconds + inside);
  const double each = std::max(0.0, 1e-9 * static_cast<double>(together) / static_cast<double>(arrivals.stood_for));
  return each * static_cast<double>(arrivals.count) / seconds;
}

double bytes_of_all(const stream_end::snapshot& arrivals, const stream_end::snapshot& left) {
  if (arrivals.count == 0) return left.bytes;
  if (left.count == 0) return unknown;
  return left.bytes * static_cast<double>(arrivals.count) / static_cast<double>(left.stood_for);
}

}  // namespace weir::detail

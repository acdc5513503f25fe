#include "runtime/streams/stream_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string>

#include "runtime/record/thrown.hpp"
#include "runtime/streams/channel.hpp"

namespace weir::detail {

double stream_monitor::bytes_of(record_body* r) noexcept {
  const shape& labels = *r->shape;
  if (labels.size() == 0) return 0;
  if (labels.size() == 1 && (labels[0].name == end_of_input || labels[0].name == batch_of_records)) return 0;
  check_no_locks("a size function is called");
  const lent_record it(r);
  try {
    try {
      return static_cast<double>(size_(it.shown));
    } catch (...) {
      const std::string how = thrown_by("options.record_bytes");
      if (!size_threw_.exchange(true))
        run_.note(
            how +
            ": the bytes of streams where it did are not known, and such records count as none in max_bytes_in_flight");
    }
  } catch (const std::bad_alloc&) {  // the note is lost
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::uint64_t stream_monitor::whole_bytes_of(record_body* r) noexcept {
  constexpr double most = 0x1p62;  // two of them are still a number of 64 bits
  const double bytes = bytes_of(r);
  return std::isnan(bytes) ? 0 : static_cast<std::uint64_t>(std::min(bytes, most));
}

}  // namespace weir::detail

#include "runtime/engine/at_work.hpp"

#include <weir/record/record.hpp>
#include "runtime/streams/error_site.hpp"

namespace weir::detail {

at_work::sight at_work::read() const {
  sight seen;
  const short_lock lock(taken_);
  seen.step = steps_.load(std::memory_order_relaxed);
  seen.at = at_.load(std::memory_order_relaxed);
  if (!seen.at || timed_.at != seen.at) return seen;
  seen.timed = timed_;
  seen.path = seen.at->path(*timed_.input);
  seen.record = outline(*timed_.input);
  return seen;
}

}  // namespace weir::detail

#include "runtime/placed/home_runs.hpp"

namespace weir::detail {

std::size_t home_runs::room() const {
  const std::size_t waiting = call_.own_region->unbounded()->size(), most = book_.link.ranks.limits().records;
  return waiting < most ? most - waiting : 0;
}

void home_runs::run(record_body* const* records, std::size_t count) {
  if (count == 0) return;
  {
    const lock_guard lock(book_.calls_mutex);
    waiting_.insert(records, records + count);
    any_.store(true, std::memory_order_relaxed);
  }
  count_.fetch_add(count, std::memory_order_relaxed);
  call_.own_region->unbounded()->push(records, count);
}

bool home_runs::take(record_body* r) {
  if (!any()) return false;
  const lock_guard lock(book_.calls_mutex);
  return waiting_.erase(r) > 0;
}

}  // namespace weir::detail

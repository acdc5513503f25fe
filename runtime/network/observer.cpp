#include "runtime/network/observer.hpp"

#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

bool observer::see(const record& r, std::string_view path, const threads::atomic<bool>& cancelled) {
  if (inside_call::of(this)) {
    see_(r, path);
    return true;
  }
  if (cancelled.load()) return false;  // a stop leaves no gap: once one was not seen, no later one is
  const concurrency_limit::permit mine(&one_at_a_time_, &cancelled);
  if (!mine.is_inside()) return false;
  const inside_call now(this);
  see_(r, path);
  return true;
}

}  // namespace weir::detail

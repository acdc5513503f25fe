#include "runtime/engine/parked_threads.hpp"

#include <algorithm>

namespace weir::detail {

parked_threads::parked* parked_threads::on(int core) {
  const auto at = std::ranges::find_if(all_, [&](const parked& p) { return p.who.last_core == core; });
  return at != all_.end() ? &*at : nullptr;
}

parked_threads::parked* parked_threads::of(const worker& w) {
  const auto at = std::ranges::find_if(all_, [&](const parked& p) { return &p.who == &w; });
  return at != all_.end() ? &*at : nullptr;
}

worker& parked_threads::call(parked& chosen) {
  chosen.called = true;
  all_.erase(all_.iterator_to(chosen));
  return chosen.who;
}

void parked_threads::wake_all() {
  for (parked& p : all_) p.who.wake.notify_one();
}

}  // namespace weir::detail

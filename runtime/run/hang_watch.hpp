#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <weir/engine/hang.hpp>
#include "runtime/run/learning.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// Finds invocations that have run for far longer than their models expect (option watchdog). Thread-safe, except that
// one thread at a time looks.
class hang_watch {
 public:
  hang_watch(run_environment& run, const watchdog& when, learning& learnt, messenger& messages)
      : run_(run), when_(when), learning_(learnt), messages_(messages) {}

  // Looks at every thread. Returns whether any did something or still does. Throws std::bad_alloc.
  bool check();
  void forget();  // once no thread runs any more

  // The invocations that hung at the last check, and how many ever did.
  std::pair<std::vector<hang>, std::uint64_t> seen() const {
    const lock_guard lock(mutex_);
    return {hanging_, ever_};
  }

 private:
  std::optional<hang> judge(const at_work::sight& seen, double seconds) const;

  run_environment& run_;
  const watchdog& when_;
  learning& learning_;
  messenger& messages_;
  mutable WEIR_LOCK(hangs) mutex_;
  std::vector<hang> hanging_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t ever_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::detail

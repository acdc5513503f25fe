#pragma once

#include <functional>
#include <optional>

#include "runtime/report/report.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

class run_state;

// Connects views with their run, and holds its last report when it is gone. Thread-safe.
class run_link {
 public:
  explicit run_link(run_state& run) : run_(&run) {}

  run_report report();
  bool is_over();

  // The run is being destroyed. Returns when no view uses it any more. Without memory views get an empty report.
  void end() noexcept;

 private:
  // Calls f with the run, or returns nothing when it is gone.
  template <class F>
  auto with_run(F f) -> std::optional<decltype(f(std::declval<run_state&>()))>;

  WEIR_LOCK(link) mutex_;
  condition unused_;
  run_state* run_ WEIR_GUARDED_BY(mutex_);  // null: gone
  int users_ WEIR_GUARDED_BY(mutex_) = 0;   // calls that use it now
  run_report last_;                         // written before run_ becomes null
};

}  // namespace weir::detail

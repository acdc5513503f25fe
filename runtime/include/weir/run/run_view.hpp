#pragma once

#include <memory>
#include <utility>

#include <weir/report/report.hpp>
#include <weir/run/hidden_classes.hpp>

namespace [[gnu::visibility("default")]] weir {

// A view of a run for a display that follows it. It outlives the execution and does not keep it alive. Made by
// execution::view(). Copies share the run. Thread-safe.
class run_view {
 public:
  // Moving copies, so a view always shows its run.
  run_view(const run_view&) = default;
  run_view& operator=(const run_view&) = default;

  // As execution::report(); once the execution was destroyed, its last report. The destruction waits for calls under
  // way. Throws std::bad_alloc.
  run_report report() const;

  bool is_over() const;  // the run has drained or was stopped, or the execution was destroyed

 private:
  friend class detail::run_state;
  explicit run_view(std::shared_ptr<detail::run_link> to) : link_(std::move(to)) {}
  std::shared_ptr<detail::run_link> link_;
};

}  // namespace weir

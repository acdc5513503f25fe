#pragma once

#include <functional>
#include <optional>
#include <utility>

#include <weir/report/report.hpp>
#include <weir/run/hidden_classes.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// Connects views with their run, and holds its last report when it is gone. Thread-safe.
class run_link {
 public:
  // How the run is asked while it exists, from any thread.
  struct questions {
    std::function<run_report()> report;
    std::function<bool()> is_over;
  };
  explicit run_link(questions to) : run_(std::move(to)) {}

  run_report report();
  bool is_over();

  // The run is being destroyed. Returns when no view uses it any more. has_views: then its last report is kept for
  // them. Without memory they get an empty report.
  void end(bool has_views) noexcept;

 private:
  // Asks the run, or returns nothing when it is gone.
  template <class Answer>
  std::optional<Answer> asked(const std::function<Answer()>& question);

  const questions run_;
  WEIR_LOCK(link) mutex_;
  condition unused_;
  bool is_there_ WEIR_GUARDED_BY(mutex_) = true;  // the run
  int users_ WEIR_GUARDED_BY(mutex_) = 0;         // calls that use it now
  run_report last_;                               // written before is_there_ becomes false
};

}  // namespace weir::detail

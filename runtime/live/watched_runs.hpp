#pragma once

#include <string>
#include <vector>

#include <weir/report/report.hpp>
#include <weir/report/report_page.hpp>
#include <weir/run/run_view.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The runs that a page shows, and their reports. Thread-safe. No lock is held while a run is asked, so that this may
// take long and may call the user's functions.
class watched_runs {
 public:
  static constexpr std::size_t most = 16;  // the newest: a report of a large network may take megabytes

  watched_runs(const std::string& title, const run_view& first, const std::string& name)
      : title_(page_title(title)), runs_{{name, first}} {}

  void add(const run_view& run, const std::string& name);

  std::string page() const;
  std::string data(report_part part) const;  // the page's
  std::string metrics() const;

 private:
  struct watched {
    std::string name;
    run_view run;
  };
  // The name, or where it is taken the name with a number.
  static std::string free_name(const std::vector<watched>& among, const std::string& name);
  std::vector<watched> all() const;

  const std::string title_;
  mutable WEIR_LOCK(live) mutex_;
  std::vector<watched> runs_ WEIR_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace weir::detail

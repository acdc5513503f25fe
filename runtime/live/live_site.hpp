#pragma once

#include <sys/types.h>

#include <atomic>
#include <semaphore>
#include <string>

#include <weir/live/live_options.hpp>
#include "runtime/live/http_server.hpp"
#include "runtime/live/update_feed.hpp"
#include "runtime/live/watched_runs.hpp"

namespace weir::detail {

// How much a page does at most. Tests set other limits.
struct live_limits {
  int listeners = 16, others = 8;
  std::chrono::milliseconds update_interval{1000}, patience{5000};
};

// The parts behind a live_page. Thread-safe.
class live_site {
 public:
  live_site(const run_view& run, const live_options& o, live_limits limits = {});
  ~live_site();

  watched_runs& runs() { return runs_; }
  int port() const noexcept { return server_.port(); }
  const std::string& host() const noexcept { return server_.host(); }
  bool is_of_this_process() const noexcept;  // and not a copy in a child made by fork()

 private:
  http_answer get(const std::string& path);

  const pid_t made_in_;
  watched_runs runs_;
  update_feed feed_;
  std::binary_semaphore making_{1};  // one answer at a time: reports of a large network take time that runs need
  std::atomic<bool> is_ending_{false};
  http_server server_;
};

}  // namespace weir::detail

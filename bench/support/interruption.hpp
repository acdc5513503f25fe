#pragma once

#include <stdexcept>

namespace weir::command {

// While one lives, Ctrl-C (SIGINT), SIGTERM or SIGHUP asks the command to end soon with what it has; a second one ends
// the process at once, with its exit code and nothing written. Where hanging up is ignored, as under nohup, it stays
// ignored. One at a time.
class interruption {
 public:
  interruption();
  ~interruption();
  interruption(const interruption&) = delete;

  static bool asked();     // since the latest was made
  static int exit_code();  // 128 and the number of the signal that asked, as shells have it
};

// It came before there was anything to report.
class interrupted_early : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace weir::command

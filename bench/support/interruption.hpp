#pragma once

#include <stdexcept>

namespace weir::program {

// While an object lives, Ctrl-C (SIGINT), SIGTERM or SIGHUP asks the command to end soon with the results so far. A
// second signal ends the process immediately, with its exit code and nothing written. A signal that is ignored,
// as SIGHUP under nohup or SIGINT in a shell's background job, stays ignored. Only one object may live at a time.
class interruption {
 public:
  interruption();
  ~interruption();
  interruption(const interruption&) = delete;

  static bool asked();     // since the latest object was made
  static int exit_code();  // 128 plus the number of the first signal, as in shells
};

// The signal came before there was anything to report.
class interrupted_early : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace weir::program

#pragma once

#include <stdexcept>

namespace weir::command {

// While one lives, Ctrl-C (SIGINT) asks the command to end soon with what it has; a second one ends the process at
// once, with exit_code and nothing written. One at a time.
class interruption {
 public:
  static constexpr int exit_code = 130;  // 128 and the signal's number, as shells have it

  interruption();
  ~interruption();
  interruption(const interruption&) = delete;

  static bool asked();  // by Ctrl-C, since the latest was made
};

// It came before there was anything to report.
class interrupted_early : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace weir::command

#pragma once

namespace weir::program {

// While one exists, a call of exit() by a box or a library is told on standard error. The records under way are lost,
// so exit(0) ends the process with code 1. Standard output is flushed then, and no other stream. Copies of the process
// that fork() made are left alone. One at a time.
class exit_watch {
 public:
  exit_watch();
  ~exit_watch();
  exit_watch(const exit_watch&) = delete;
};

}  // namespace weir::program

#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace weir::testing {

// A pipe that is this process's error stream until restore().
class error_pipe {
 public:
  error_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
    before_ = dup(STDERR_FILENO);
    read_ = ends[0];
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
  }
  ~error_pipe() {
    restore();
    close(read_);
  }
  error_pipe(const error_pipe&) = delete;

  int read_end() const { return read_; }
  void restore() {
    if (before_ < 0) return;
    dup2(before_, STDERR_FILENO);
    close(std::exchange(before_, -1));
  }

 private:
  int before_ = -1, read_ = -1;
};

}  // namespace weir::testing

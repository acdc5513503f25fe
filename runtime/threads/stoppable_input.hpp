#pragma once

#include <cstddef>
#include <filesystem>
#include <stop_token>

namespace weir::detail {

// A file, pipe, terminal or socket that one thread reads, until it ends or a stop is requested. A wait for input ends
// by the stop, and goes on after a signal whose handler returns. A file on a dead network mount does not: there the
// system itself waits, in open() and read().
class stoppable_input {
 public:
  // Opens the file; "-" is the standard input, from where the C library's stdin stands. A named pipe without a writer
  // is opened, too, and read() waits for the first writer. Throws std::system_error, naming the file.
  stoppable_input(const std::filesystem::path& file, std::stop_token stop);
  ~stoppable_input();
  stoppable_input(const stoppable_input&) = delete;

  // Reads the bytes that have arrived, at most `most`; waits while there are none. 0: the input has ended, or a stop
  // was requested. Throws std::system_error, naming the file.
  std::size_t read(char* to, std::size_t most);

  bool is_stopped() const { return stop_.stop_requested(); }

 private:
  class wake_up;
  bool wait();  // for input; false: a stop was requested
  [[noreturn]] void fail(const char* what) const;

  const std::filesystem::path file_;
  const std::stop_token stop_;
  const int descriptor_;
  bool may_wait_ = true;  // regular files never do
};

}  // namespace weir::detail

#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace weir::corpus {

// A program that runs next to this one, in a process group of its own: so Ctrl-C on the terminal reaches it only when
// it is passed on. For one thread at a time.
class child_process {
 public:
  // Variables of the environment that it gets besides ours; an empty value takes ours away.
  using variables = std::vector<std::pair<std::string, std::string>>;

  // Starts it; program[0] is looked for in PATH. With `has_input` it reads what feed() writes, else nothing. Throws
  // std::runtime_error if it cannot be started.
  explicit child_process(const std::vector<std::string>& program, const variables& extra = {}, bool has_input = false);
  ~child_process();  // ends it by SIGKILL if it still runs
  child_process(const child_process&) = delete;

  void feed(const std::string& bytes);  // does nothing once it has stopped reading
  void end_input();

  // Waits for its end and returns its exit code, 128 and more when a signal ended it. When Ctrl-C asks us to end, it is
  // asked in the same way, once.
  int wait();

 private:
  pid_t id_ = -1;
  int input_ = -1;
};

}  // namespace weir::corpus

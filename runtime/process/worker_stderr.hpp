#pragma once

#include <chrono>
#include <string>

#include "runtime/process/output_pipe.hpp"
#include "runtime/process/text_tail.hpp"

namespace weir::detail::processes {

// The standard error stream of a worker: a pipe, so that a worker that writes faster than its text is passed on waits,
// and no memory fills. Its text goes to this process's stream, in order, and the end is kept for messages. One thread
// at a time.
class worker_stderr {
 public:
  // `is_shown`: its text is passed on; else only once show() is called, as after a failed start, whose text the next
  // one repeats. Throws std::system_error.
  explicit worker_stderr(bool is_shown) : is_shown_(is_shown) {}

  int of_worker() const { return pipe_.theirs.get(); }  // for its start
  void close_writer() { pipe_.theirs.close(); }         // once the worker has its own

  int descriptor() const { return pipe_.ours.get(); }  // readable when there is text; -1: it is closed

  // From now on its text is passed on. Where that is new, the last lines before are.
  void show();

  // Passes on the text that is there, at most as much as a pipe holds. Does not wait for the worker.
  void pass_on();
  // The same, unless that was done a moment ago: for short calls, of which each would pay for a look.
  void pass_on_now_and_then();

  // The last lines, to be appended to a sentence: `; it said: "..."`. Empty when there are none.
  std::string last_lines();

 private:
  bool is_shown_;
  output_pipe pipe_ = new_output_pipe();
  std::chrono::steady_clock::time_point next_look_{};
  text_tail end_;  // of the passed text
};

}  // namespace weir::detail::processes

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "runtime/process/descriptor.hpp"
#include "runtime/process/text_tail.hpp"

namespace weir::detail::processes {

// The standard error stream of a worker: a file of memory, so that neither side waits for the other. Its text
// is passed on to this process's stream between the calls, and the end is kept for messages. One thread at
// a time.
class said {
 public:
  // Throws std::system_error.
  said();

  int descriptor() const { return file_.get(); }  // for the worker

  // Passes new text on.
  void pass_on();
  // The same, unless that was done a moment ago: for short calls, of which each would pay for a look.
  void pass_on_now_and_then();

  // The last lines, to be appended to a sentence: `; it said: "..."`. Empty when there are none.
  std::string last_lines();

 private:
  processes::descriptor file_;
  std::uint64_t passed_ = 0;  // bytes; they are no longer in memory
  std::chrono::steady_clock::time_point next_look_{};
  text_tail end_;  // of the passed text
};

}  // namespace weir::detail::processes

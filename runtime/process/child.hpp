#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>

#include "runtime/process/descriptor.hpp"
#include "runtime/process/ending.hpp"
#include "runtime/process/launch.hpp"
#include "runtime/process/memory_group.hpp"

namespace weir::detail::processes {

// A child process, which leads a process group of its own and has no terminal. The rest of the group is killed when the
// child has ended, or with this object, which also reaps it.
//
// One thread at a time may use it. The system kills the child when the thread that started it ends, unless
// launch::stays; so that thread must live as long as the child. Its own children may be left then: a guardian sees
// to that. In a copy of this process made by fork() this object does nothing.
//
// Linux counts this process's own peak memory as the child's, since both share it until the program is loaded. So
// peak_bytes is exact where it is above that. Below, it is the largest value that wait() and wait_for() have looked up;
// the time between two of these looks is a quarter of the child's age. A control group knows its largest memory
// exactly.
class child {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr clock::time_point never = clock::time_point::max();
  // A time after another; never, where that is later than the clock can tell.
  static clock::time_point after(clock::time_point begin, std::chrono::nanoseconds time) {
    return time < never - begin ? begin + time : never;
  }

  // Starts the program. Its cost does not depend on the memory of this process. Throws std::system_error, which
  // names the program, what failed and the reason; then nothing is left.
  static child start(const launch& how);

  child(child&& other) noexcept;
  child& operator=(child&&) = delete;
  ~child();

  int pid() const { return pid_; }
  clock::time_point started() const { return started_; }  // when its program began to be loaded
  int descriptor() const { return ended_.get(); }         // readable when it has ended, for poll

  // Waits until it has ended, until the deadline, or until a stop is requested; nullopt: it has not ended. Throws
  // std::system_error where the system does not tell, as when this process ignores SIGCHLD or reaps all children.
  std::optional<ending> wait(clock::time_point deadline = never, const std::stop_token& stop = {});

  // Sleeps until it has ended, until one of `others` is ready, or until the deadline. True: it has ended, or another is
  // ready, as their revents say.
  bool wait_for(std::span<pollfd> others, clock::time_point deadline = never);

  // Asks the group to end by SIGTERM, and a second later by SIGKILL. Returns when the child has ended.
  ending end();

 private:
  child(int pid, int ended, std::optional<memory_group> group, clock::time_point began) noexcept;
  void kill_group(int signal) const noexcept;
  void look_at_memory() noexcept;
  ending reap();

  int pid_ = -1;  // -1: it is reaped
  int owner_;     // this process
  processes::descriptor ended_;
  std::optional<memory_group> group_;  // none: its memory has no bound, or RLIMIT_DATA
  clock::time_point started_, next_look_;
  std::uint64_t shared_peak_ = 0;  // what the system may count as the child's peak
  std::uint64_t seen_peak_ = 0;
  std::optional<ending> ending_;
};

// poll() that an interruption does not end; the time that is left is rounded up. Throws std::system_error.
int poll_until(std::span<pollfd> all, child::clock::time_point until);

}  // namespace weir::detail::processes

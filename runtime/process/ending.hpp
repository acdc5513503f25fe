#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace weir::detail::processes {

// The end of a child, and its use of the machine, with that of the children that it waited for. Plain data.
struct ending {
  int code = 0;                  // by exit()
  int signal = 0;                // that ended it; 0: none did
  double cpu_seconds = 0;        // user and system time
  std::uint64_t peak_bytes = 0;  // the largest resident memory of one process; 0: unknown, see child
  bool out_of_memory = false;    // the system has ended it since it needed more than its bound
};

std::string words_of_time(std::chrono::nanoseconds time);  // "1.5 s", "20 ms"
std::string name_of_signal(int number);                    // "SIGSEGV"; of a real-time one "signal 40"

// To be appended to how it ended, where its bound of memory may be the reason: "; its memory is bounded to 64 MiB".
// Empty: there was no bound (0), or it has loaded and ended by an exit code of its own.
std::string words_of_bound(std::uint64_t memory, const ending& e);
std::string words_of_bound(std::uint64_t memory);  // where it is known to be the reason

}  // namespace weir::detail::processes

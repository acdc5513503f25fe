#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/machine/platform.hpp"

// The threads of this process as the system names them. Linux keeps a name for each thread, and a thread that is
// started has the name of the one that started it. So a name tells which box started a thread.
namespace weir::detail {

using thread_number = int;  // the system's: gettid()

inline constexpr std::size_t longest_thread_name = 15;  // bytes; the system cuts the rest

void name_this_thread(const std::string& name) noexcept;

// Marks the calling thread as one of weir's own while it exists. Throws std::bad_alloc.
class own_thread {
 public:
  own_thread();
  ~own_thread();
  own_thread(const own_thread&) = delete;
};

// The threads of this process. Empty where the system does not say. Throws std::bad_alloc.
struct system_thread {
  thread_number number;
  bool is_own;  // of weir's own
};
std::vector<system_thread> all_threads();

std::string name_of(thread_number who);              // "": it has ended
cpu_clock cpu_clock_of(thread_number who) noexcept;  // for platform::cpu_seconds()
cpu_clock cpu_clock_of_process() noexcept;           // of all threads, those that have ended included

}  // namespace weir::detail

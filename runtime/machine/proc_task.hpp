#pragma once

#include <vector>

// Threads of a process, this one where none is named, as Linux tells of them in /proc/PID/task (proc_pid_task(5)).
// Thread-safe.
namespace weir::detail {

inline constexpr const char* threads_folder = "/proc/self/task";

// The system's numbers of all threads. Empty where it does not say. Throws std::bad_alloc.
std::vector<int> numbers_of_threads();
std::vector<int> numbers_in(const char* tasks);  // of the threads of another process: its folder of tasks

// The number of the thread that a CPU clock of pthread_getcpuclockid() is of.
int thread_of_clock(int clock);

// For how many seconds a thread has been on a core so far, and for how many it waited for one. NaN: the system does not
// say. Costs 5 us.
struct scheduled_seconds {
  double on_core, waited;
};
scheduled_seconds seconds_scheduled(int number) noexcept;
scheduled_seconds seconds_scheduled(const char* tasks, int number) noexcept;  // a thread of another process

// The seconds for which all threads that live waited for a core. NaN: the system does not say. Throws std::bad_alloc.
double seconds_waited_by_all();

}  // namespace weir::detail

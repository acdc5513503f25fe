#include "runtime/machine/proc_task.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string_view>
#include <system_error>

namespace weir::detail {

// Not by std::filesystem, which ends the process where memory runs out.
std::vector<int> numbers_in(const char* tasks) {
  std::vector<int> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(tasks), &closedir);
  while (const dirent* const entry = folder ? readdir(folder.get()) : nullptr) {
    const std::string_view text = entry->d_name;
    int one = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), one).ec == std::errc()) numbers.push_back(one);
  }
  return numbers;
}

std::vector<int> numbers_of_threads() { return numbers_in(threads_folder); }

// linux/posix-timers.h: the number's complement, and three bits that say which clock of the thread.
int thread_of_clock(int clock) { return static_cast<int>(~(static_cast<unsigned>(clock) >> 3) & 0x1fffffffu); }

// Documentation/scheduler/sched-stats.rst of Linux: nanoseconds on a core, nanoseconds on a run queue, time slices.
// Opened each time: a file kept open for each thread would use up a process's limit on many cores.
scheduled_seconds seconds_scheduled(int number) noexcept { return seconds_scheduled(threads_folder, number); }

scheduled_seconds seconds_scheduled(const char* tasks, int number) noexcept {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::array<char, 64> name{}, text{};
  std::snprintf(name.data(), name.size(), "%s/%d/schedstat", tasks, number);
  const int file = open(name.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {none, none};
  const ssize_t size = read(file, text.data(), text.size() - 1);
  close(file);
  if (size <= 0) return {none, none};
  std::uint64_t on_core = 0, waited = 0;
  const char* const end = text.data() + size;
  const auto first = std::from_chars(text.data(), end, on_core);
  if (first.ec != std::errc() || first.ptr == end) return {none, none};
  if (std::from_chars(first.ptr + 1, end, waited).ec != std::errc()) return {none, none};
  if (on_core == 0) return {none, none};  // a system that keeps no such times says 0
  return {1e-9 * static_cast<double>(on_core), 1e-9 * static_cast<double>(waited)};
}

double seconds_waited_by_all() {
  double sum = std::numeric_limits<double>::quiet_NaN();
  for (const int number : numbers_of_threads())
    if (const double waited = seconds_scheduled(number).waited; !std::isnan(waited))
      sum = std::isnan(sum) ? waited : sum + waited;
  return sum;
}

}  // namespace weir::detail

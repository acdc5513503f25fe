#include "runtime/machine/process_threads.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/threads/locks.hpp"

namespace weir::detail {
namespace {

const char* const threads_folder = "/proc/self/task";

struct own_threads {
  WEIR_LOCK(own_threads) mutex;
  std::set<int> numbers;
};
own_threads& all_own() {
  static auto* const all = new own_threads;  // never destroyed: threads may end after static destructors
  return *all;
}

std::string file_of(int number, const char* name) {
  return std::string(threads_folder) + "/" + std::to_string(number) + "/" + name;
}

bool is_own(int number) {
  own_threads& all = all_own();
  const lock_guard lock(all.mutex);
  return all.numbers.count(number) > 0;
}

// Empty where the system does not say. Not by std::filesystem, which ends the process where memory runs out.
std::vector<int> numbers_of_all() {
  std::vector<int> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(threads_folder), &closedir);
  while (const dirent* const entry = folder ? readdir(folder.get()) : nullptr) {
    const std::string_view text = entry->d_name;
    int one = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), one).ec == std::errc()) numbers.push_back(one);
  }
  return numbers;
}

// As pthread_getcpuclockid() makes it: linux/posix-timers.h, CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED. number_of() is
// the inverse.
cpu_clock clock_of(int number) { return {static_cast<int>((~static_cast<unsigned>(number) << 3) | 6u)}; }

}  // namespace

void name_this_thread(const char* name) noexcept { prctl(PR_SET_NAME, name, 0, 0, 0); }

std::string thread_name(int number) {
  std::ifstream from(file_of(number, "comm"));
  std::string name;
  std::getline(from, name);
  return name;
}

// Documentation/scheduler/sched-stats.rst of Linux: nanoseconds on a core, nanoseconds on a run queue, time slices.
// Opened each time: a file kept open for each thread would use up a process's limit on many cores.
scheduled_seconds scheduled(int number) noexcept {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::array<char, 64> name{}, text{};
  std::snprintf(name.data(), name.size(), "%s/%d/schedstat", threads_folder, number);
  const int file = open(name.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {unknown, unknown};
  const ssize_t size = read(file, text.data(), text.size() - 1);
  close(file);
  double on_core = 0, waited = 0;
  if (size <= 0 || std::sscanf(text.data(), "%lf %lf", &on_core, &waited) != 2) return {unknown, unknown};
  return {1e-9 * on_core, 1e-9 * waited};
}

double seconds_waited_by_all() {
  double sum = std::numeric_limits<double>::quiet_NaN();
  for (const int number : numbers_of_all())
    if (const double waited = scheduled(number).waited; !std::isnan(waited))
      sum = std::isnan(sum) ? waited : sum + waited;
  return sum;
}

int number_of(cpu_clock of) { return static_cast<int>(~(static_cast<unsigned>(of.id) >> 3) & 0x1fffffffu); }

own_thread::own_thread() noexcept {
  try {
    own_threads& all = all_own();
    const lock_guard lock(all.mutex);
    all.numbers.insert(gettid());
  } catch (const std::bad_alloc&) {
  }
}
own_thread::~own_thread() {
  own_threads& all = all_own();
  const lock_guard lock(all.mutex);
  all.numbers.erase(gettid());
}

void process_threads::look() {
  const double now = platform_.now(), of_process = platform_.cpu_seconds({CLOCK_PROCESS_CPUTIME_ID});
  passed_ = looked_at_ > 0 ? now - looked_at_ : 0;
  looked_at_ = now;
  by_ended_ = of_process - std::exchange(of_process_, of_process);  // less what the living computed, as follows
  std::map<int, thread> threads;
  for (const int number : numbers_of_all()) {
    const double cpu = platform_.cpu_seconds(clock_of(number));
    if (std::isnan(cpu)) continue;  // it has just ended
    const auto before = threads_.find(number);
    thread t;
    if (before != threads_.end() && before->second.cpu_seconds <= cpu) {  // else another thread has that number now
      t = std::move(before->second);
      t.is_new = false;
    }
    t.is_own = is_own(number);  // a thread says so itself, perhaps only now
    if (!t.is_own && t.is_new) t.name = thread_name(number);
    t.computed = cpu - std::exchange(t.cpu_seconds, cpu);
    by_ended_ -= t.computed;
    threads.emplace(number, std::move(t));
  }
  threads_.swap(threads);
}

}  // namespace weir::detail

#include "runtime/machine/process_threads.hpp"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
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

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

// As pthread_getcpuclockid() makes it: linux/posix-timers.h, CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED.
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
double wanted_seconds(int number) {
  std::ifstream from(file_of(number, "schedstat"));
  double on_core = 0, waited = 0;
  return from >> on_core >> waited ? 1e-9 * (on_core + waited) : std::numeric_limits<double>::quiet_NaN();
}

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
  all_ended_ += std::max(0.0, by_ended_);
  rusage of_children{};
  getrusage(RUSAGE_CHILDREN, &of_children);
  by_children_ = seconds(of_children.ru_utime) + seconds(of_children.ru_stime);
}

}  // namespace weir::detail

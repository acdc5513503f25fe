#include "runtime/machine/thread_names.hpp"

#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>

#include "runtime/threads/locks.hpp"

namespace weir::detail {
namespace {

struct own_threads {
  WEIR_LOCK(own_threads) mutex;
  std::set<thread_number> numbers;
};
own_threads& all_own() {
  static auto* const all = new own_threads;  // never destroyed: threads may end after static destructors
  return *all;
}

std::string entry_of(thread_number who) { return "/proc/self/task/" + std::to_string(who); }

}  // namespace

void name_this_thread(const std::string& name) noexcept { prctl(PR_SET_NAME, name.c_str(), 0, 0, 0); }

own_thread::own_thread() {
  own_threads& all = all_own();
  const lock_guard lock(all.mutex);
  all.numbers.insert(gettid());
}
own_thread::~own_thread() {
  own_threads& all = all_own();
  const lock_guard lock(all.mutex);
  all.numbers.erase(gettid());
}

std::vector<system_thread> all_threads() {
  std::vector<system_thread> threads;
  std::error_code error;
  std::filesystem::directory_iterator at("/proc/self/task", error);
  for (const std::filesystem::directory_iterator end; !error && at != end; at.increment(error)) {
    const std::string text = at->path().filename().string();
    thread_number one = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), one).ec == std::errc()) threads.push_back({one, false});
  }
  own_threads& all = all_own();
  const lock_guard lock(all.mutex);
  for (system_thread& t : threads) t.is_own = all.numbers.count(t.number) > 0;
  return threads;
}

std::string name_of(thread_number who) {
  std::ifstream from(entry_of(who) + "/comm");
  std::string name;
  std::getline(from, name);
  return name;
}

// As pthread_getcpuclockid() makes it: linux/posix-timers.h, CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED.
cpu_clock cpu_clock_of(thread_number who) noexcept {
  return {static_cast<int>((~static_cast<unsigned>(who) << 3) | 6u)};
}

cpu_clock cpu_clock_of_process() noexcept { return {CLOCK_PROCESS_CPUTIME_ID}; }

}  // namespace weir::detail

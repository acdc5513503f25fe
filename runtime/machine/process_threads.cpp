#include "runtime/machine/process_threads.hpp"

#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <new>
#include <set>
#include <utility>

#include "runtime/machine/proc_task.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {
namespace {

struct own_threads {
  WEIR_LOCK(own_threads) mutex;
  std::set<int> numbers;
  double ended_seconds = 0;  // CPU seconds of those that have ended
};
own_threads& all_own() {
  static auto* const all = new own_threads;  // never destroyed: threads may end after static destructors
  return *all;
}

std::string file_of(int number, const char* name) {
  return std::string(threads_folder) + "/" + std::to_string(number) + "/" + name;
}

double seconds_of_ended() {
  own_threads& all = all_own();
  const lock_guard lock(all.mutex);
  return all.ended_seconds;
}

// CPU seconds of the calling thread.
double own_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

bool is_own(int number) {
  own_threads& all = all_own();
  const lock_guard lock(all.mutex);
  return all.numbers.count(number) > 0;
}

// As pthread_getcpuclockid() makes it: linux/posix-timers.h, CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED.
// thread_of_clock() is the inverse.
cpu_clock clock_of(int number) { return {static_cast<int>((~static_cast<unsigned>(number) << 3) | 6u)}; }

}  // namespace

void name_this_thread(const char* name) noexcept { prctl(PR_SET_NAME, name, 0, 0, 0); }

std::string thread_name(int number) {
  std::ifstream from(file_of(number, "comm"));
  std::string name;
  std::getline(from, name);
  return name;
}

own_thread::own_thread() noexcept {
  try {
    own_threads& all = all_own();
    const lock_guard lock(all.mutex);
    is_first_ = all.numbers.insert(gettid()).second;
  } catch (const std::bad_alloc&) {
  }
}
own_thread::~own_thread() {
  if (!is_first_) return;
  own_threads& all = all_own();
  const double seconds = own_seconds();
  const lock_guard lock(all.mutex);
  all.numbers.erase(gettid());
  all.ended_seconds += seconds;
}

void process_threads::sample() {
  const double now = platform_.now(), of_process = platform_.cpu_seconds({CLOCK_PROCESS_CPUTIME_ID});
  passed_ = sampled_at_ > 0 ? now - sampled_at_ : 0;
  sampled_at_ = now;
  const double own_ended = seconds_of_ended();
  double living = 0;  // CPU seconds since the last sample
  std::map<int, thread> threads;
  for (const int number : numbers_of_threads()) {
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
    living += t.computed;
    threads.emplace(number, std::move(t));
  }
  // The time of weir's own ended threads up to the last sample was counted then.
  for (const auto& [number, t] : threads_)
    if (t.is_own && t.cpu_seconds > 0) {
      const auto now_there = threads.find(number);
      if (now_there == threads.end() || now_there->second.is_new) living -= t.cpu_seconds;
    }
  threads_.swap(threads);
  by_ended_ = ended_.take(of_process - own_ended, living);
  all_ended_ += by_ended_;
  by_children_ = platform_.seconds_of_children();
}

}  // namespace weir::detail

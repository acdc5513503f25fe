#include "runtime/machine/child_threads.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "runtime/machine/proc_children.hpp"
#include "runtime/machine/proc_task.hpp"

namespace weir::detail {
namespace {

constexpr double least_share = 0.01;  // of one core: a thread that uses less waits

// CPU seconds so far of all threads of a process, also of ended ones; NaN: it has ended. Its clock is
// CPUCLOCK_SCHED of linux/posix-timers.h.
double cpu_seconds_of(int pid) {
  timespec t{};
  if (::clock_gettime(static_cast<clockid_t>((~static_cast<unsigned>(pid) << 3) | 2u), &t) != 0) return std::nan("");
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

void child_threads::begin() {
  before_ = std::exchange(now_, clock::now());
  for (auto& [number, s] : threads_) s.is_there = false;
  for (auto& [number, s] : processes_) s.is_there = false;
}

void child_threads::end() {
  const auto is_gone = [](const auto& s) { return !s.second.is_there; };
  std::erase_if(threads_, is_gone);
  std::erase_if(processes_, is_gone);
}

child_threads::demand child_threads::of(int pid, clock::time_point began) {
  // Its own children are no older than it is.
  const double passed = std::chrono::duration<double>(now_ - (processes_.count(pid) > 0 ? before_ : began)).count();
  demand sum;
  sum.seconds = std::max(passed, 0.0);
  std::vector<int> left{pid};
  while (!left.empty()) {
    const int one = left.back();
    left.pop_back();
    const demand d = of_one(one, passed);
    sum.cores += d.cores;
    sum.threads += d.threads;
    add_children("/proc/" + std::to_string(one), left);
  }
  return sum;
}

child_threads::demand child_threads::of_one(int pid, double passed) {
  const double cpu = cpu_seconds_of(pid);
  if (std::isnan(cpu) || passed <= 0) return {};
  demand sum;
  double by_living = 0;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const int number : numbers_in(tasks.c_str())) {
    const scheduled_seconds so_far = seconds_scheduled(tasks.c_str(), number);
    if (std::isnan(so_far.on_core)) continue;
    seen& s = threads_[number];
    if (so_far.on_core < s.on_core) s = {};  // another thread has that number now
    const double cores = so_far.on_core + so_far.waited;
    const double share = std::min(1.0, (cores - std::exchange(s.cores, cores)) / passed);
    const double on_core = so_far.on_core - std::exchange(s.on_core, so_far.on_core);
    by_living += on_core;
    s.is_there = true;
    sum.cores += share;
    sum.threads += on_core > least_share * passed;
  }
  seen_process& process = processes_[pid];
  if (cpu < std::exchange(process.cpu, cpu)) process = {.cpu = cpu};  // another process has that number now
  const double by_ended = process.ended.take(cpu, by_living);
  process.is_there = true;
  if (by_ended > least_share * passed) sum.cores += by_ended / passed;
  return sum;
}

}  // namespace weir::detail

#include "runtime/machine/platform.hpp"

#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "runtime/machine/proc_children.hpp"
#include "runtime/machine/proc_stat.hpp"
#include "runtime/machine/proc_task.hpp"
#include "runtime/threads/cpu_seconds.hpp"
#include "scheduler/machine/cpu_quota.hpp"
#include "scheduler/machine/openmp_places.hpp"
#include "scheduler/machine/without_plugins.hpp"

namespace weir::detail {
namespace {

double seconds(const timespec& t) { return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec); }

class clocked_platform : public platform {
 public:
  explicit clocked_platform(topology cores) : cores_(std::make_shared<const topology>(std::move(cores))) {}

  const std::shared_ptr<const topology>& cores() const override { return cores_; }
  double now() const noexcept override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  double wall_clock() const noexcept override {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
  thread_usage usage() const noexcept override {
    timespec cpu{};
    rusage used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    getrusage(RUSAGE_THREAD, &used);
    return {seconds(cpu), static_cast<std::uint64_t>(used.ru_nivcsw)};
  }
  cpu_clock own_cpu_clock() const noexcept override {
    clockid_t id = CLOCK_THREAD_CPUTIME_ID;
    pthread_getcpuclockid(pthread_self(), &id);  // cannot fail: the thread is there
    return {id};
  }
  double cpu_seconds(cpu_clock of) const noexcept override {
    timespec cpu{};
    return clock_gettime(of.id, &cpu) == 0 ? seconds(cpu) : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  std::shared_ptr<const topology> cores_;
};

class local final : public clocked_platform {
 public:
  local() : clocked_platform(topology::local_without_quota()) {
    if (cores()->is_assumed() || cores()->is_elsewhere()) return;  // bind() then fails, and the report says so
    for (int core = 0; core < cores()->size(); ++core)
      for (const int unit : (*cores())[core].os_units) {
        const auto at = static_cast<std::size_t>(unit);
        if (core_of_.size() <= at) core_of_.resize(at + 1, -1);
        core_of_[at] = core;
      }
    std::vector<int> all = units_of_process(static_cast<long>(core_of_.size()));
    if (all.empty()) return;
    for (const int unit : all) whole_.add(unit);
    all_units_ = std::make_shared<const std::vector<int>>(std::move(all));
  }

  bool is_local() const override { return true; }

  bool keeps_threads() const override { return true; }

  double seconds_of_children() const noexcept override {
    rusage children{};
    getrusage(RUSAGE_CHILDREN, &children);
    return cpu_seconds_in(children);
  }
  core_use cores_used(const core_set& of) const override {
    static const bool says_all = is_of_kernel();
    std::vector<int> units;
    if (!core_of_.empty())
      for (const int core : of)
        for (const int unit : (*cores())[core].os_units) units.push_back(unit);
    return {says_all ? busy_seconds(units) : std::numeric_limits<double>::quiet_NaN(),
            cpu_seconds({CLOCK_PROCESS_CPUTIME_ID}) + seconds_of_children() +
                (has_children() ? seconds_of_running_children() : 0),
            static_cast<int>(units.size())};
  }
  double delay(cpu_clock of) const noexcept override { return seconds_scheduled(thread_of_clock(of.id)).waited; }
  double delay_of_process() const override { return seconds_waited_by_all(); }

  bool bind(const core_set& to) noexcept override {
    if (core_of_.empty()) return false;
    unit_mask units;
    for (const int core : to)
      for (const int unit : (*cores())[core].os_units) units.add(unit);
    return bind_to(units);
  }
  bool unbind() noexcept override { return bind_to(whole_); }
  std::optional<double> quota() override { return quota_.read(); }
  core_set usable_here() const override { return usable_by(0); }
  core_set usable_by_first() const override { return usable_by(getpid()); }
  std::shared_ptr<const std::vector<int>> units() const override { return all_units_; }
  int current_core() const noexcept override {
    if (sched_getscheduler(0) != SCHED_OTHER) return -1;
    const auto unit = static_cast<std::size_t>(sched_getcpu());  // -1, where the system does not say, is out of range
    return unit < core_of_.size() ? core_of_[unit] : -1;
  }

 private:
  core_set usable_by(pid_t thread) const {
    if (core_of_.empty()) return cores()->all();
    std::vector<int> usable;
    unit_mask told;
    if (sched_getaffinity(thread, told.bytes, told.sets.data()) == 0)
      for (std::size_t unit = 0; unit < core_of_.size(); ++unit)
        if (core_of_[unit] >= 0 && told.has(unit)) usable.push_back(core_of_[unit]);
    return core_set(usable);
  }

  // Processing units as the system takes them, as many as a kernel may be built for. Threads are bound by it without
  // memory, since there may be none: hwloc's functions for a thread write to a null pointer then.
  struct unit_mask {
    static constexpr std::size_t bytes = 8192 / 8;
    std::array<cpu_set_t, bytes / sizeof(cpu_set_t)> sets{};
    void add(int unit) { CPU_SET_S(static_cast<std::size_t>(unit), bytes, sets.data()); }
    bool has(std::size_t unit) const { return CPU_ISSET_S(unit, bytes, sets.data()); }
  };

  // The same question as in topology::local(), whose answer a CPU quota does not change, and the places of OpenMP.
  static std::vector<int> units_of_process(long cores_units) {
    const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> system(
        units_alone(std::max(cores_units, sysconf(_SC_NPROCESSORS_CONF))), hwloc_topology_destroy);
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> bound(hwloc_bitmap_alloc(), hwloc_bitmap_free);
    if (!system || !bound ||
        (hwloc_get_cpubind(system.get(), bound.get(), HWLOC_CPUBIND_PROCESS) != 0 &&
         hwloc_get_cpubind(system.get(), bound.get(), HWLOC_CPUBIND_THREAD) != 0) ||
        hwloc_bitmap_iszero(bound.get()))
      return {};
    for (const int unit : openmp_places_of_process().units) hwloc_bitmap_set(bound.get(), static_cast<unsigned>(unit));
    std::vector<int> all;
    for (int unit = hwloc_bitmap_first(bound.get()); unit >= 0; unit = hwloc_bitmap_next(bound.get(), unit))
      all.push_back(unit);
    return all;
  }

  // The question needs a loaded topology but none of its objects. A made-up topology of that many processing units is
  // loaded without reading the system, which takes more than a millisecond.
  static hwloc_topology_t units_alone(long count) {
    hwloc_topology_t made = nullptr;
    {
      const without_plugins meanwhile;
      if (hwloc_topology_init(&made) != 0) return nullptr;
    }
    const std::string text = "pu:" + std::to_string(count);
    if (hwloc_topology_set_synthetic(made, text.c_str()) == 0 &&
        hwloc_topology_set_flags(made, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM) == 0 && hwloc_topology_load(made) == 0)
      return made;
    hwloc_topology_destroy(made);
    return nullptr;
  }

  // Most processes have none, and are spared a look at each thread.
  static bool has_children() {
    siginfo_t ignored;
    return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0;
  }

  // The system refuses an empty set.
  static bool bind_to(const unit_mask& units) noexcept {
    return sched_setaffinity(0, unit_mask::bytes, units.sets.data()) == 0;
  }

  unit_mask whole_;                                    // of the process; empty: not known
  std::shared_ptr<const std::vector<int>> all_units_;  // of whole_; null: not known
  std::vector<int> core_of_;                           // by the system's number of a processing unit; -1: of no core
  cpu_quota_reader quota_;
};

class synthetic final : public clocked_platform {
 public:
  synthetic(const std::string& text, bool threads) : clocked_platform(topology::synthetic(text)), threads_(threads) {}
  bool is_local() const override { return false; }
  bool bind(const core_set&) noexcept override { return true; }
  bool unbind() noexcept override { return true; }
  bool has_threads() const override { return threads_; }

 private:
  bool threads_;
};

}  // namespace

std::shared_ptr<platform> local_platform() { return std::make_shared<local>(); }
std::shared_ptr<platform> synthetic_platform(const std::string& text) {
  return std::make_shared<synthetic>(text, true);
}
std::shared_ptr<platform> unthreaded_platform(const std::string& text) {
  return std::make_shared<synthetic>(text, false);
}

}  // namespace weir::detail

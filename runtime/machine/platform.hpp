#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weir/machine/hidden_classes.hpp>
#include <weir/scheduler/machine/topology.hpp>
#include <weir/threads/primitives.hpp>

namespace weir::detail {

// A thread's usage of the machine so far.
struct thread_usage {
  double cpu_seconds = 0;
  std::uint64_t involuntary_switches = 0;
};

// Names the CPU clock of a thread. Any thread can read the clock by it. Plain data.
struct cpu_clock {
  int id = 0;
};

// The CPU seconds that processing units have spent since some moment. NaN: unknown.
struct core_use {
  double by_all = std::numeric_limits<double>::quiet_NaN();      // by all processes, interrupts and the hypervisor
  double by_process = std::numeric_limits<double>::quiet_NaN();  // by this process and its children
  int units = 0;                                                 // how many these are
};

// The world outside: clock, cores, binding, threads. The one class that tests replace. Thread-safe.
class platform {
 public:
  virtual ~platform() = default;

  virtual const std::shared_ptr<const topology>& cores() const = 0;
  virtual bool is_local() const = 0;  // its cores are this process's, so oneTBB's pool may be sized by them

  virtual double now() const noexcept = 0;          // seconds since some origin, monotonic
  virtual thread_usage usage() const noexcept = 0;  // of the calling thread

  // The date: seconds since the beginning of 1970, UTC. It may jump. NaN: unknown.
  virtual double wall_clock() const noexcept { return std::numeric_limits<double>::quiet_NaN(); }

  // own_cpu_clock() names the calling thread's clock, cpu_seconds() reads a clock. NaN: it cannot be read, for example
  // because its thread has ended.
  virtual cpu_clock own_cpu_clock() const noexcept = 0;
  virtual double cpu_seconds(cpu_clock of) const noexcept = 0;

  // CPU seconds so far of the child processes that this process has waited for.
  virtual double seconds_of_children() const noexcept { return 0; }
  // The use of the processing units of these cores. No units: they are not real. Throws std::bad_alloc.
  virtual core_use cores_used(const core_set&) const { return {}; }
  // Seconds for which a thread, or all of this process that live, could have run and had no core. NaN: the system does
  // not say. The second reads a file for each thread, and throws std::bad_alloc.
  virtual double delay(cpu_clock) const noexcept { return std::numeric_limits<double>::quiet_NaN(); }
  virtual double delay_of_process() const { return std::numeric_limits<double>::quiet_NaN(); }

  // Binds the calling thread to these cores, or unbinds it to all that the process may use. False when the system
  // refuses.
  virtual bool bind(const core_set& to) noexcept = 0;
  virtual bool unbind() noexcept = 0;

  // The cores that the system permits at present. quota(): the CPU quota in cores, nothing where there is none; for one
  // thread at a time. usable_here(): those of cores() that the calling thread may run on by its affinity and its
  // cpuset; usable_by_first(): the same of the process's first thread, the first that `taskset -ap` sets. None: the
  // system does not say, or they are others. All throw std::bad_alloc.
  virtual std::optional<double> quota() { return std::nullopt; }
  virtual core_set usable_here() const { return cores()->all(); }
  virtual core_set usable_by_first() const { return cores()->all(); }

  // Whether the system refuses to bind the calling thread to these cores, after bind() returned false. If it does not,
  // it has taken all of them from the process. The thread is unbound then.
  bool refuses(const core_set& to) {
    unbind();
    const core_set usable = usable_here();
    return usable.empty() || usable.intersects(to);
  }

  // The system's numbers of the processing units that the process may use. Null: they are not real.
  virtual std::shared_ptr<const std::vector<int>> units() const { return nullptr; }

  // The core that the calling thread runs on now. -1: unknown, or the thread's scheduling policy lets no other thread
  // run there meanwhile.
  virtual int current_core() const noexcept { return -1; }

  // False: everything runs on the caller's threads, inside send, next and wait.
  virtual bool has_threads() const { return true; }
  virtual threads::thread start_thread(std::function<void()> body) { return threads::thread(std::move(body)); }
  // Whether threads stay for a while without a run (kept_threads).
  virtual bool keeps_threads() const { return false; }
};

std::shared_ptr<platform> local_platform();
std::shared_ptr<platform> synthetic_platform(const std::string& text);  // throws std::invalid_argument

// A synthetic machine on which the caller's threads run everything: deterministic, for tests.
std::shared_ptr<platform> unthreaded_platform(const std::string& text);

}  // namespace weir::detail

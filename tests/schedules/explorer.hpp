#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Runs a program so that one of its threads runs at a time, and chooses it at every operation on shared state
// (<weir/threads/scheduled.hpp>). The choice follows from a plan, so that a plan gives the same schedule again.
namespace weir::testing {

// From this step on another thread is to run.
struct deviation {
  std::uint64_t step = 0;
  int thread = 0;
  bool operator==(const deviation&) const = default;
};

enum class strategy {
  random_walk,  // now and then another thread, any
  priorities,   // PCT: threads have random priorities, which drop at `depth` - 1 steps
  writes,       // the same, with drops in front of operations that others can observe
  given         // each thread runs until it waits, except for the deviations
};

enum class fault {
  none,
  thread_start,   // one start of a thread fails
  allocation,     // one call of operator new
  binding,        // from one on, threads are bound to no cores
  clock_forward,  // from one reading on, the machine's clock is ten seconds ahead of the timers
  clock_back      // from one reading on, it is a tenth of a second behind its earlier readings
};

struct schedule_plan {
  strategy how = strategy::random_walk;
  std::uint64_t seed = 1;
  int depth = 1;                      // of priorities
  std::uint64_t steps = 1000;         // about as many as there will be, for priorities; or writes
  std::vector<deviation> deviations;  // of `given`
  fault fails = fault::none;
  std::uint64_t failing = 0;  // which one of its kind, from 1
};

struct schedule_bounds {
  std::uint64_t steps = 2'000'000;
  double seconds = 60;  // virtual: the time that the program may take, also if it waits for timers
};

struct schedule_run {
  std::uint64_t steps = 0, writes = 0;
  double seconds = 0;               // virtual
  std::uint64_t allocations = 0;    // by the program and the runtime
  std::uint64_t readings = 0;       // of the machine's clock
  std::vector<deviation> taken;     // where another thread went on, by choice
  std::vector<std::uint32_t> open;  // by step: the threads besides the running one that could have gone on, as bits
};

// Runs the program once. A failure ends in `failed`, which must not return: the threads of a program that hangs can be
// left only with the process. REQUIRES: one at a time in a process.
schedule_run run_schedule(const std::function<void()>& program, const schedule_plan& plan,
                          const schedule_bounds& bounds,
                          const std::function<void(const std::string& why, const schedule_run& so_far)>& failed);

// Whether the plan of the schedule that runs has a fault in it that may end the run or records of it.
bool a_fault_comes();
bool this_start_fails();                // by the platform, for each thread that the runtime starts
bool this_allocation_fails() noexcept;  // by operator new
bool this_binding_fails() noexcept;     // by the platform
double this_reading_is_off() noexcept;  // by the platform: seconds to add

// Pairs of operations that came one after the other on the same object by two threads (each named by its place in the
// code). Each sets one of these bits, by its hash; the bits measure the behaviour seen so far.
constexpr std::size_t pair_bits = std::size_t{1} << 20;
void note_pairs_in(std::uint64_t* bits);

}  // namespace weir::testing

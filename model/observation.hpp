#pragma once

#include <cstdint>

namespace [[gnu::visibility("default")]] weir {

// One timed invocation of a component: what the model learns from. Plain data; safe to copy between threads.
//
// `seconds` is *useful time*: from the last input taken to the last output emitted, less the time the invocation was
// blocked and less the time that boxes downstream ran inside its emit (Kalavri et al., OSDI'18, section 3.1).
//
// `cpu_seconds` is close to what `seconds` would be if no other process used the lane's cores: the most CPU time spent
// in the invocation by any of the lane's threads, which are its own and, one a further core, oneTBB's workers in its
// arena. Spinning for work counts, sleeping does not. A loop that balances itself gives what a delayed thread does not
// get to to the others: then, in invocations not much longer than the system's time slices, it may be up to the CPU
// time of the whole.
//
// It is read when the component's mean time is at least 100 us a core of the lane, and not where it would mislead: for
// boxes that take a grant, whose own threads nobody knows, and invocations that spent more than a hundredth of their
// time waiting or in boxes downstream inside emit. On a synthetic machine a lane has no thread but its own.
struct observation {
  std::uint32_t component = 0;   // index in the run's list of components
  double x = 1;                  // predictor value; 1 when the box has no predictor
  int cores = 1;                 // p: cores of the lane that ran it
  double start = 0;              // seconds since the run started
  double seconds = 0;            // useful wall-clock time
  double cpu_seconds = 0;        // the largest CPU time of the lane's threads; 0 when it was not read
  int width = 1;                 // lanes the component had
  std::uint32_t queue = 0;       // records that still waited at the input when this one was taken
  std::uint32_t switches = 0;    // involuntary context switches of the lane's own thread; 0 when not read
  std::uint32_t first_core = 0;  // the lane's first core; together with `cores` it names a contiguous core set
  bool after_move = false;       // first invocation on a new grant: measures the move, is not used for the fit
};

// True when a model can learn from `seen`: not after a move, x finite and not negative, at least one core, and seconds
// between a picosecond and 30 000 years. No clock gives less or more, and squares of times in that range cannot
// overflow.
bool is_usable(const observation& seen);

}  // namespace weir

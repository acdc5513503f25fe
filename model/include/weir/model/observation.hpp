#pragma once

#include <array>
#include <cstdint>

#include <weir/model/predictor_form.hpp>

namespace [[gnu::visibility("default")]] weir {

// One timed invocation of a component: the input that models learn from. Plain data; safe to copy between threads.
//
// An invocation for several records (box_without_batch::batched()) counts as one of a mean record. All times are
// divided by the number of records. x is the power mean, of the model's degree, of their predictor values.
//
// `seconds` is useful time as Kalavri et al. define it (OSDI'18, section 3.1). It runs from the last input taken to the
// last output emitted. Time that the invocation was blocked is not counted, nor is time that downstream boxes ran
// inside its emit.
//
// `cpu_seconds` approximates what `seconds` would be if no other process used the lane's cores. It is the largest CPU
// time that any one of the lane's threads spent in the invocation. These threads are the lane's own thread and, in its
// arena, one oneTBB worker for each further core. Spinning while looking for work counts as CPU time; sleeping does
// not. If one thread is delayed, a self-balancing loop gives its work to the other threads. In invocations not much
// longer than the system's time slices, `cpu_seconds` may therefore be as much as all CPU time of the invocation.
//
// `delayed_seconds` estimates by how much of `seconds` other processes delayed the invocation: its threads could run,
// and other threads had their cores. Unlike `seconds - cpu_seconds` it leaves out sleeping, and a loop that balances
// itself does not distort it. It leaves out what a hypervisor took. It is read only if options::learn_from is automatic
// and others take a notable share of the cores. The component's mean time must be unknown or at least 1 ms for each
// core of the lane. It is 0 elsewhere, where the system keeps no such times, and for an invocation that waited or was
// downstream for more than a hundredth, as below.
//
// `cpu_seconds` is read when the component's mean time is at least 400 us for each core of the lane. While the mean is
// unknown, only a run that learns from CPU time reads it. It stays 0 where it would mislead. One case is a box with a
// grant of several cores whose own thread computed for less than half of the invocation. It slept while threads worked
// that weir does not know. The other is an invocation that spent more than a hundredth of its time waiting, or in boxes
// downstream inside emit. On a synthetic machine a lane has no thread except its own.
struct observation {
  std::uint32_t component = 0;   // index in the run's list of components
  double x = 1;                  // predictor value; 1 when the box has no predictor
  int cores = 1;                 // p: cores of the lane that ran it, 1 or more
  double start = 0;              // seconds since the run started
  double seconds = 0;            // useful wall-clock time
  double cpu_seconds = 0;        // the largest CPU time of the lane's threads; 0 when it was not read
  int width = 1;                 // lanes the component had
  std::uint32_t queue = 0;       // records that still waited at the input when this one was taken
  std::uint32_t switches = 0;    // involuntary context switches of the lane's own thread; 0 when not read
  std::uint32_t first_core = 0;  // the lane's first core; together with `cores` it names a contiguous core set
  bool after_move = false;       // first invocation on a new grant: measures the move, is not used for the fit
  double delayed_seconds = 0;    // for which other processes kept its threads off their cores; 0 when not read
  std::uint32_t records = 1;     // that the invocation was for
  std::uint32_t averaged = 1;    // invocations of which this is the mean; one of several tells nothing of their tail
  // The values of the other predictors of a box that has several; x is that of the first. A box without any has here
  // the values that the run offers its model, and x is 1. 0 behind them.
  std::array<double, most_predictors - 1> further{};
};

// True when a model can learn from `seen`. It must not be the first invocation after a move. x must be finite and not
// negative, `cores` at least 1, and `seconds` within [1e-12, 1e12]. No clock gives times outside that range, and the
// squares of times inside it cannot overflow.
bool is_usable(const observation& seen);

}  // namespace weir

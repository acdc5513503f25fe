#pragma once

namespace [[gnu::visibility("default")]] weir {

// One of the predictor values that represent some inputs, and the part of the invocations it represents.
struct typical_input {
  double x = 1;       // the predictor value
  double weight = 1;  // the part of the invocations; the weights of some inputs sum to 1
};

// Sums over some inputs by which a model tells their mean time on any number of cores, without a look at each of them
// again. Plain data; it has a meaning only to the model that made it (estimator::sums_over).
struct input_sums {
  double work = 0;     // seconds on one core
  double further = 0;  // seconds for each further core
  double serial = 0;   // seconds of the work that cores do not shorten, beyond what the model's curve of cores says
};

// The mean of invocations and of their squares, over some inputs and over how invocations with the same input differ.
// Plain data. In seconds and squared seconds; NaN when nothing was observed yet.
struct time_moments {
  double mean = 0;    // seconds
  double square = 0;  // the mean of the squares, in squared seconds
};

// A prediction of 0 or less counts as this many seconds, so that nothing is divided by zero.
inline constexpr double shortest_time = 1e-12;

}  // namespace weir

#pragma once

#include "scheduler/view/system_view.hpp"

namespace [[gnu::visibility("default")]] weir {

// The constants of the allocation, each with its reason. Those that say how are also the latency rule's (latency.hpp).
struct throughput_options {
  // Cores of one invocation never exceed this times the largest number observed, once the parallel share is known: a
  // model errs most where it extrapolates, and doubling still reaches any size in a few moves (Qiao et al., Pollux,
  // OSDI'21).
  double growth = 2;

  // More lanes must be faster by this much than fewer: each lane is one more record in flight and a longer latency, and
  // a hundredth is less than what models tell apart.
  double lane_gain = 0.01;

  // Answers whose bottlenecks differ by less count as equal, and the cheaper one is taken. The same reason.
  double tie = 0.01;

  // Lanes that a component may have at most, besides its box's limit. 1: width is no means at all.
  int max_width = unlimited;

  // False: once the slowest cannot be helped, the others keep what they have (leximin.hpp).
  bool leximin = true;

  // False: the bottleneck alone counts, whatever bounded queues cost where times vary (blocking.hpp).
  bool blocking = true;

  // False: the shared group lies on an owner's core only where no answer gives it a core of its own.
  bool hosting = true;

  // Throws std::invalid_argument naming the field and the value.
  void validate() const;
};

}  // namespace weir

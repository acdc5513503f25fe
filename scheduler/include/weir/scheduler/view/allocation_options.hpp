#pragma once

#include <weir/scheduler/view/system_view.hpp>

namespace [[gnu::visibility("default")]] weir {

// The constants of the throughput rule, each with its reason. The latency rule (latency.hpp) also uses growth, tie,
// max_width and hosting. Plain data.
struct throughput_options {
  // The cores of one invocation never exceed this times the largest number observed; 1 or more. A model errs most where
  // it extrapolates, and doubling still reaches any size in a few moves (Qiao et al., Pollux, OSDI'21).
  double growth = 2;

  // How much faster more lanes must be than fewer, in [0, 1). Each lane is one more record in flight and a longer
  // latency, and models cannot tell differences below a hundredth apart.
  double lane_gain = 0.01;

  // Answers whose bottlenecks differ by less than this part, in [0, 1), count as equal, and the cheaper one is taken.
  // Models cannot tell them apart.
  double tie = 0.01;

  // The most lanes that a component may have, in addition to the limit of its box; 1 or more. With 1, lanes are not
  // used as a means.
  int max_width = unlimited;

  // False: once the slowest component cannot be helped, the others keep what they have (leximin.hpp).
  bool leximin = true;

  // False: only the bottleneck counts, and not what bounded queues cost where times vary (blocking.hpp).
  bool blocking = true;

  // False: the shared group gets at most as many cores as it has members. True: as many as they can use, each in all
  // lanes that its box allows.
  bool wide_group = true;

  // False: the shared group lies on an owner's core only if no answer gives it a core of its own.
  bool hosting = true;

  // Throws std::invalid_argument naming the field and the value when a number is out of its range above.
  void validate() const;
};

}  // namespace weir

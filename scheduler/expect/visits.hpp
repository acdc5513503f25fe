#pragma once

#include <vector>

namespace weir {

// The part of one component's output that goes to another, by index. Plain data.
struct route {
  int from = 0, to = 0;
  double part = 1;
};

// Computes the invocations of each component per record that enters the network:
//
//   V = source + (gain * routing)^T V.
//
// source_i is the number of records that enter at i, and gain_i the number that i emits per record it takes. The
// routing holds the parts of these that go to each component. If there is no loop among the components that records
// reach, it takes one pass in topological order. With feedback and stars it is a linear solve.
//
// Throws std::invalid_argument when a number is negative or not finite, an index is out of range, or sizes differ. It
// also throws when a loop multiplies its records by 1 or more, so that no number of visits is finite. The message lists
// the components in question.
std::vector<double> visits_of(const std::vector<double>& source, const std::vector<double>& gain,
                              const std::vector<route>& routing);

}  // namespace weir

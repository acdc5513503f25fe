#pragma once

#include <vector>

namespace weir {

// This part of what one component emits goes to another, by index. Plain data.
struct route {
  int from = 0, to = 0;
  double part = 1;
};

// Invocations of each component per record that enters the network:
//   V = source + (gain * routing)^T V,
// with source_i the records that enter at i, gain_i what i emits per record it takes, and routing the parts of that
// which go where. One pass in topological order when there is no loop among the components that records reach; a linear
// solve with feedback and stars. Throws std::invalid_argument when a number is negative or not finite, an index is out
// of range or the sizes differ, and when a loop multiplies what it is given by 1 or more, so that no number of visits
// is finite; the message lists the components in question.
std::vector<double> visits_of(const std::vector<double>& source, const std::vector<double>& gain,
                              const std::vector<route>& routing);

}  // namespace weir

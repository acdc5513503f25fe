#pragma once

#include <functional>
#include <vector>

#include <weir/scheduler/expect/record_paths.hpp>
#include "scheduler/divide/leximin.hpp"

namespace weir {

// The decision of marginal_gain(). Plain data.
struct gained {
  std::vector<int> cores;  // per component
  double next = 0;         // the most seconds that one core more saves, while the paths are additive
};

// Gives each component a number of cores within its bounds, with a total of `cores` at most, such that paths.seconds()
// of the sojourns becomes small.
//
// How: each core goes where it saves most of the latency. If several cores together save more per core than the next
// one, a component takes them in one step. That step is the steepest slope to any number of cores that it may have,
// which is an edge of the lower convex hull of its curve. Source: Fox, Discrete Optimization via Marginal Analysis,
// Management Science 13, 1966.
//
// Where copies of a record travel side by side, the weights of components are updated as the division grows. Slower
// ways count before they are the slowest, since cores for only one of two equal ways save nothing. If the last step of
// a hull does not fit, or copies travel side by side, exchanges repair the division. One component gives cores to
// another as long as the latency falls.
//
// The latency is the least possible when the paths are additive and every step of the hulls fits. Convex sojourns
// always fit. scheduler/divide/README.md has the distance from the least in other cases. Cores that save nothing stay
// unused.
//
// REQUIRES: bounds and finite sojourn(i, lower) for every component, lower <= upper, and a sum of lower bounds of no
// more than `cores`. It asks for sojourns of each component up to its upper bound. On small machines it asks for all of
// them, on large ones for numbers near the present one and for powers of two. Where many are near, the edges of their
// hull are found together.
gained marginal_gain(const record_paths& paths, const std::vector<core_bounds>& bounds, int cores,
                     const std::function<double(int component, int cores)>& sojourn);

}  // namespace weir

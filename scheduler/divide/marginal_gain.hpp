#pragma once

#include <functional>
#include <vector>

#include "scheduler/divide/leximin.hpp"
#include "scheduler/expect/passage.hpp"

namespace weir {

// What marginal_gain() decided. Plain data.
struct gained {
  std::vector<int> cores;  // per component
  double next = 0;         // seconds of latency that one core more would save at most, while the paths are additive
};

// Gives each component a number of cores within its bounds, `cores` in all at most, such that paths.seconds() of the
// sojourns becomes small.
//
// How: cores go one after another to where each saves most of the latency. A component whose next core saves less than
// several together takes those at once: the steepest slope to any number of cores that it may have, the edge of the
// lower convex hull of its curve (Fox, Discrete Optimization via Marginal Analysis, Management Science 13, 1966). Where
// copies of a record travel side by side, what a component counts is taken anew as the division grows; slower ways
// count before they are slowest, since cores for one of two equal ways save nothing. When the last step of a hull does
// not fit, or copies travel side by side, single exchanges repair: one component gives cores, one takes them, as long
// as the latency falls.
//
// The latency is the least possible when the paths are additive and every step of the hulls fits, as it always does
// where sojourns are convex. How far it is from that elsewhere is in README.md. Cores that save nothing stay
// with nobody.
//
// REQUIRES: bounds and finite sojourn(i, lower) for every component, lower <= upper, and the sum of the lower bounds is
// no more than `cores`. Asks for sojourns of each component up to its upper bound: all of them on small machines; on
// large ones those near what it has, and powers of two.
gained marginal_gain(const record_paths& paths, const std::vector<core_bounds>& bounds, int cores,
                     const std::function<double(int component, int cores)>& sojourn);

}  // namespace weir

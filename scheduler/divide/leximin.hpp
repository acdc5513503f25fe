#pragma once

#include <functional>
#include <vector>

#include "scheduler/view/core_counts.hpp"

namespace weir {

// Whom leximin() serves: everybody, the slowest first, or the slowest alone, which is as good for the bottleneck while
// the others keep what they have.
enum class served { everybody, slowest_only };

// Gives each item a number of cores within its bounds, `cores` in all at most, such that the largest seconds(item,
// cores) is the least possible, then the next largest, and so on. The times need not fall with cores nor be convex:
// a number is only given when it is better than every smaller one.
//
// How: the slowest item gets as many cores as make it faster at all; when it cannot get them it is settled, and the
// next slowest is served. No item can be under the present largest time with less than it has, so the largest time is
// optimal when the slowest is settled ("next core to the bottleneck", with jumps over the steps of the curve). Cores
// that make nothing faster stay with nobody.
//
// O(P log n) for P cores and n items, besides calls of `seconds`, of which each item costs at most P. REQUIRES: the sum
// of the lower bounds is no more than `cores`, and lower <= upper.
std::vector<int> leximin(const std::vector<core_bounds>& items, int cores,
                         const std::function<double(int item, int cores)>& seconds, served whom = served::everybody);

}  // namespace weir

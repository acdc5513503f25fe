#pragma once

#include <functional>
#include <vector>

#include <weir/scheduler/view/core_counts.hpp>

namespace weir {

// Which items leximin() serves: all, the slowest first, or only the slowest. The latter is as good for the bottleneck,
// and the others keep their cores.
enum class served { everybody, slowest_only };

// Gives each item a number of cores within its bounds, with a total of `cores` at most. The largest seconds(item,
// cores) is the least possible, then the next largest, and so on. The times need not fall with cores nor be convex: an
// item gets a number only if that is better than every smaller one.
//
// How: the slowest item gets as many cores as make it faster at all. If it cannot get them it is settled, and the next
// slowest is served. No item can be below the present largest time with fewer cores, so the largest time is optimal
// when the slowest is settled. This is "next core to the bottleneck", with jumps over the steps of the curve. Cores
// that make no item faster stay unused.
//
// Takes O(P log n) for P cores and n items, plus calls of `seconds`, at most P for each item. REQUIRES: the sum of the
// lower bounds is no more than `cores`, and lower <= upper.
std::vector<int> leximin(const std::vector<core_bounds>& items, int cores,
                         const std::function<double(int item, int cores)>& seconds, served whom = served::everybody);

}  // namespace weir

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <weir/scheduler/machine/core_set.hpp>

namespace weir::detail {

// The throughput that a process expects on some numbers of cores, in a unit of its own: pairs of cores and throughput,
// by ascending cores. In between it is linear. Empty: the process does not say.
using core_gain = std::vector<std::pair<int, double>>;

// The cores that a process asks for. Plain data.
struct core_claim {
  core_set cores;  // that it may use, not empty
  int most = 1;    // cores at a time, 1 to cores.size()
  core_gain gain;
};

// Divides the cores between the processes, by claim. A pure function, so that all processes find the same division:
//  - Each has at least one of the cores that it may use, and no more than it asks for.
//  - No core is given twice, unless a process would have none. So it is with more processes than cores; then as few
//    processes as possible are on one core.
//  - No core is left over that a process asks for.
//  - Where all say their gain, the product of the throughputs is as large as possible. The units do not matter then,
//    and equal gains give equal parts. Else all get equal parts. The first processes get one core more of a remainder.
//  - Processes that may use the same cores have neighbouring ones.
std::vector<core_set> divide_cores(const std::vector<core_claim>& claims);

}  // namespace weir::detail

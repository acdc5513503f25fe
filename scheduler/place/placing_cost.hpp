#pragma once

#include <utility>
#include <vector>

#include <weir/scheduler/view/system_view.hpp>

namespace weir {

// The weights of faults in the places of an allotment. place() (placement.hpp) makes their sum small.
//
// Two cores that are neighbours in view.cores are up to three steps apart: one for another L3, one for another NUMA
// node, one for another package. A share *crosses* the steps between its neighbours. A share that lies within one L3
// crosses nothing.
namespace placing_cost {
// A step costs time at every record. A core that changes hands costs once, about 0.1 ms until its worker has moved and
// its caches are warm. An allotment seldom stays for less than hundreds of records, but it does change. Hence a step
// inside a lane, between threads of one invocation, is worth eight such cores. That means moving one or two components
// of the usual size, but not all of them. Between two lanes a step is worth half as much.
inline constexpr int crossing_weight = 16;
inline constexpr int lane_crossing_weight = 16;  // in addition, inside a lane; members of the shared group have none
// A core that its owner did not have in view.current. A core that becomes idle costs nothing.
inline constexpr int handed_over_weight = 4;
// A core that stays with its owner, but in a lane of other cores. Memory stays in place and only the threads regroup.
inline constexpr int regrouped_weight = 2;
// A share that lies between the two ends of a link. Neighbours in the stream with a few others between them are usually
// still in one L3. A component may go past two others to spare one core, since both its links get longer. To spare a
// step it may go past some more.
inline constexpr int apart_weight = 1;
}  // namespace placing_cost

// For each core of view.cores: how many of L3, NUMA node and package differ from the core before it; 0 for the first.
// Without a machine all numbers are 0.
std::vector<int> steps_between(const system_view& view);

// The pairs of components that records go between without another component in between. The smaller index comes first;
// each pair is listed once, in ascending order.
std::vector<std::pair<int, int>> stream_neighbours(const system_view& view);

}  // namespace weir

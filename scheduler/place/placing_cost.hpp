#pragma once

#include <utility>
#include <vector>

#include "scheduler/view/system_view.hpp"

namespace weir {

// What is wrong with the places of an allotment, by weight. place() (placement.hpp) makes the sum small.
//
// Two cores that are next to each other in view.cores are up to three steps apart: one each for another L3, another
// NUMA node and another package. Steps between neighbours in a share are what a share *crosses*; a share that fits in
// one L3 and lies in one crosses nothing.
namespace placing_cost {
// A step costs at every record, a core that changes hands costs once: about 0.1 ms until its worker has moved and its
// caches are warm. An allotment seldom stays for less than hundreds of records, but it does change. Hence a step inside
// a lane, with threads of one invocation on both sides, is worth as much as eight such cores, which is moving one or
// two components of the usual size and not all of them. Between two lanes it is worth half of that.
inline constexpr int crossing_weight = 16;
inline constexpr int lane_crossing_weight = 16;  // on top, inside a lane; a member of the shared group has none
// A core whose owner did not have it in view.current. One that becomes idle costs nothing.
inline constexpr int handed_over_weight = 4;
// A core that stays with its owner, but in a lane of other cores: memory stays where it is, only the threads regroup.
inline constexpr int regrouped_weight = 2;
// A share that lies between the two ends of a link. Neighbours in the stream with a few others between them are mostly
// still in one L3. A component may go past two others to spare one core, since both its links get longer, and past some
// more to spare a step.
inline constexpr int apart_weight = 1;
}  // namespace placing_cost

// By how many of L3, NUMA node and package each core of view.cores differs from the one before it; 0 for the first.
// Without a machine all cores are near each other.
std::vector<int> steps_between(const system_view& view);

// The pairs of components, the smaller index first, that records go between without another component in between. Each
// pair once, ascending.
std::vector<std::pair<int, int>> stream_neighbours(const system_view& view);

}  // namespace weir

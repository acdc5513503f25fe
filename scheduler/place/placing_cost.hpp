#pragma once

#include <utility>
#include <vector>

#include "scheduler/view/allotment.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir {

// What is wrong with the places of an allotment, counted. place() (placement.hpp) makes the total small. Plain data.
//
// Two cores that are next to each other in view.cores are up to three steps apart: one each for another L3, another
// NUMA node and another package. Steps between neighbours in a share are what a share *crosses*; a share that fits in
// one L3 and lies in one crosses nothing.
struct placing_cost {
  // A step costs at every record, a core that changes hands costs once: about 0.1 ms until its worker has moved and its
  // caches are warm. An allotment seldom stays for less than hundreds of records, but it does change: hence a step
  // inside a lane, with threads of one invocation on both sides, is worth as much as eight such cores, which is moving
  // one or two components of the usual size and not all of them. Between two lanes it is worth half of that.
  static constexpr int crossing_weight = 16;
  static constexpr int lane_crossing_weight = 16;  // on top
  static constexpr int handed_over_weight = 4;
  // The owner's memory stays where it is, only the threads group anew.
  static constexpr int regrouped_weight = 2;
  // Neighbours in the stream with a few others between them are mostly still in one L3: a component may go past two
  // others to spare one core, since both its links get longer, and past some more to spare a step.
  static constexpr int apart_weight = 1;

  int crossings = 0;       // steps inside shares
  int lane_crossings = 0;  // of those, steps inside lanes; a member of the shared group runs on one core and has none
  int handed_over = 0;     // cores whose owner had them not in view.current (a core that becomes idle costs nothing)
  int regrouped = 0;       // cores that stay with their owner, but in a lane of other cores
  int apart = 0;           // over the links: shares that lie between the two ends

  long long total() const {
    return static_cast<long long>(crossing_weight) * crossings + lane_crossing_weight * lane_crossings +
           handed_over_weight * handed_over + regrouped_weight * regrouped + apart_weight * apart;
  }
};

// Counts them for shares that are given instead of view.current. A shared group that lies on an owner's core counts for
// nothing. REQUIRES: check(given, view.cores) finds nothing wrong.
placing_cost cost_of_places(const allotment& given, const system_view& view);

// By how many of L3, NUMA node and package each core of view.cores differs from the one before it; 0 for the first.
// Without a machine all cores are near each other.
std::vector<int> steps_between(const system_view& view);

// The pairs of components, the smaller index first, that records go between without another component in between. Each
// pair once, ascending.
std::vector<std::pair<int, int>> stream_neighbours(const system_view& view);

}  // namespace weir

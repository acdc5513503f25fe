#pragma once

#include "scheduler/view/allotment.hpp"
#include "scheduler/view/core_counts.hpp"
#include "scheduler/view/system_view.hpp"

namespace [[gnu::visibility("default")]] weir {

// Core sets for the counts, within view.cores. Each share is a run of neighbours there (a run may use cores with holes
// in between: those are not there for it), and the shares lie such that placing_cost (placing_cost.hpp) is small: no
// step to another L3, NUMA node or package inside a share or a lane where that can be had, as few cores as possible
// that change hands, and neighbours in the stream next to each other. Idle cores lie wherever that leaves them. The
// least cost is found while the problem is small, as 10 components on 48 cores are, else a search comes close
// (arrangement.hpp).
//
// Nothing moves when the counts are those in force: that a place is better is no reason to move, since no model says
// what it would gain. A share of the same counts that is no run any more, since view.cores changed, is one.
//
// A group without cores of its own lies on the first core of its host: the core of that lane's own thread, which can
// run the group between two invocations without another thread being woken. A group that view.needs_shared asks for
// when the counts have no place for it lies on a core that nobody owns, or else on the first core of the largest owner.
//
// What the view says runs outside the cores has a share that says so and is no member of the group.
//
// Throws std::invalid_argument when more cores are given away than view.cores has, an owner has other than 1 to as many
// lanes as cores, there are members and no place for the group, or what runs outside the cores is given some. check()
// then finds nothing wrong with the result.
allotment place(const core_counts& counts, const system_view& view);

}  // namespace weir

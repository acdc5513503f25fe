#pragma once

#include <weir/scheduler/view/allotment.hpp>
#include <weir/scheduler/view/core_counts.hpp>
#include <weir/scheduler/view/system_view.hpp>

namespace [[gnu::visibility("default")]] weir {

// Chooses core sets for the counts, within view.cores. Each share is a run of neighbours there; cores that view.cores
// does not have are ignored. The shares lie so that placing_cost (placing_cost.hpp) is small. If possible, no share or
// lane has a step to another L3, NUMA node or package inside. As few cores as possible change hands, and neighbours in
// the stream lie next to each other. Idle cores are the remaining ones. Up to 8 shares lie at the least cost; more are
// searched for places that come close to it (arrangement.hpp).
//
// Nothing moves when the counts are those in force. A better place alone is no reason to move, since models do not tell
// its gain. But a share with the same counts does move if it is no run any more because view.cores changed.
//
// A group without cores of its own lies on the first core of its host. That is the core of the lane's own thread, which
// can run the group between two invocations without waking another thread. If view.needs_shared asks for a group and
// the counts have no place for it, it lies on a core without an owner. If there is none, it lies on the first core of
// the largest owner.
//
// A component that the view says runs outside the cores gets a share that says so, and is no member of the group.
//
// Throws std::invalid_argument when more cores are given away than view.cores has, or when an owner's lanes are not
// between 1 and its cores. It also throws when there are members but no place for the group, or when a component
// outside the cores is given some. On return, check() finds no fault in the result. A pure function; any thread may
// call it.
allotment place(const core_counts& counts, const system_view& view);

}  // namespace weir

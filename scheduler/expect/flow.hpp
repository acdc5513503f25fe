#pragma once

#include <vector>

#include "scheduler/expect/expectation.hpp"
#include "scheduler/expect/passage.hpp"

namespace weir {

// What a network is expected to do, by the models, when so many records a second enter it. Plain data; vectors are by
// component. Seconds are NaN where a component that records reach was never observed, and infinite where more is asked
// of it than it can do.
struct flow {
  double throughput = 0;            // records a second that can enter at most: 1 over the bottleneck
  double latency = 0;               // seconds from a record's entry until all that it causes has left
  std::vector<double> utilisation;  // the part of its time that it works, in all its lanes; a member: its group
  std::vector<double> sojourn;      // seconds that one record spends there, waiting included
  int longest = -1;                 // the component with the largest part in the latency, or -1
};

// The flow of an allotment at `rate` records a second; 0: a record alone in the network, which waits for nobody.
//
// A component of its own cores holds a record for T, the mean of its lanes, and for the wait of a queue with as many
// servers as it has lanes (queueing.hpp). Members of the shared group are served by one queue of mixed services with
// as many servers as the group has cores, and none waits less than it would for itself alone. On an owner's core the
// group and its host are one such queue with the host's lanes, in which members wait no less than they would for the
// group alone. What waits outside the cores, k invocations at once, holds a record for T(1) and the wait of k servers
// of its own. Arrivals are taken for Poisson at every queue: exact behind Poisson services only, where it is Jackson's
// theorem (Jackson, Networks of Waiting Lines, Operations Research 5, 1957).
//
// The latency is that of the paths of a record, but no less than what the cores of the group need for its work of one
// record, although copies of the record may be there at once.
flow expected_flow(const system_view& view, const allotment& given, double rate);

// The same of a division that nobody has placed yet, from what is kept between calls: the view's paths and times.
flow expected_flow(const system_view& view, const core_counts& given, double rate, const record_paths& paths,
                   std::vector<component_times>& times);

}  // namespace weir

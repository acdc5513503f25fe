#pragma once

#include <vector>

#include <weir/scheduler/expect/record_paths.hpp>
#include "scheduler/expect/expectation.hpp"
#include "scheduler/expect/queueing.hpp"

namespace weir {

// The flow through a network, as the models expect it when records enter it at a rate. Plain data; vectors are by
// component. Seconds are NaN where a component that records reach was never observed. They are infinite where a
// component is overloaded.
struct flow {
  double throughput = 0;                // the most records a second that can enter: 1 over the bottleneck
  double latency = 0;                   // seconds from a record's entry until all its results have left
  std::vector<double> utilisation;      // busy part of the time of all its lanes; for a member: of its group
  std::vector<double> own_utilisation;  // the same, but of a member the time of its own lanes there alone
  double group_utilisation = 0;         // of the shared group; 0: it has no member
  int bottleneck = -1;  // the component that limits the throughput; of the shared group the one its time is due to
  std::vector<double> sojourn;    // seconds that one record spends there, waiting included; of copies the first
  std::vector<double> delay;      // seconds from the first copy's end until that of the last one (record_paths.hpp)
  std::vector<station> stations;  // with a server for each lane; without a rate where nothing was observed
  int longest = -1;               // the component with the largest part in the latency, or -1
};

// The flow of an allotment at `rate` records a second. With 0 a record is alone in the network, which never
// waits for another.
//
// A component with its own cores holds a record for two times. One is T, the mean over its lanes. The other is the wait
// of a queue with as many servers as it has lanes (queueing.hpp).
//
// All members of the shared group wait in one queue of mixed services, with as many servers as the group has cores.
// None waits less than it would alone. On an owner's core the group and its host form one such queue with the host's
// lanes. Members wait no less there than they would for the group alone.
//
// Where n copies of a record reach a component, its queue gets them in batches of n. From the second component on
// batches are smaller, since only copies that come faster than it works wait: 1 + (n - 1) max(0, 1 - a/b). Here the
// slowest component before takes a seconds a copy, and this one b = T/w. The last copy ends max(0, n T/w - T) after the
// first. That n does not vary is assumed.
//
// A component outside the cores, with k concurrent invocations, holds a record for T(1) and the wait of k servers.
// Arrivals are taken to be Poisson at every queue. That is exact only behind Poisson services, by Jackson's theorem
// (Jackson, Networks of Waiting Lines, Operations Research 5, 1957).
//
// The latency is the time of a record's paths. It is at least the time that the group's cores need for all its work on
// one record, even if copies of the record are there concurrently.
flow expected_flow(const system_view& view, const allotment& given, double rate);

// The same for a division without places, from the view's paths and times, which are kept between calls.
flow expected_flow(const system_view& view, const core_counts& given, double rate, const record_paths& paths,
                   std::vector<component_times>& times);

}  // namespace weir

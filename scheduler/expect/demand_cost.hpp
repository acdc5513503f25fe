#pragma once

#include <weir/scheduler/view/objective.hpp>
#include "scheduler/expect/flow.hpp"

namespace weir {

// How an allotment meets a demand, by the models. Plain data.
struct demand_check {
  int cores = 0;         // that it uses: the owners' and the shared group's
  double load = 0;       // busy part of the time of the busiest component
  double p99 = 0;        // seconds that 99 of 100 records pass in; infinite where it cannot keep up
  int longest = -1;      // as in flow
  bool is_late = false;  // it keeps up, and its p99 is too long
  double cost = 0;
};

// An allotment in force meets a rate up to this load. It is more than `busiest`, up to which one is chosen: between the
// two an allotment stays, so that noise does not move cores back and forth.
inline constexpr double overloaded = 0.95;

// The part of the demanded p99 up to which an allotment is chosen, for the same reason.
inline constexpr double chosen_part_of_p99 = 0.8;

// The cost is the time of all cores of the view that a record takes, in seconds: the part of them that the allotment
// uses, over the rate. Where it keeps up and is late, 2 - 1/m stands for that part. m is the greater of the load over
// `busiest` and of the p99 over `chosen_part_of_p99` of the demanded one. All but the allotment in force must meet the
// demand by these margins: where m > 1, 2 - 1/m stands for the part of the others, too. Where an allotment is
// overloaded, it is 2 load / `overloaded`. So an allotment that does not meet the demand costs more than one that does,
// and the more the further it is away. NaN where a component that records reach was never observed.
//
// The quantile is that of a Pearson type III distribution (random_time.hpp) with the moments of a record's way. A wait
// has the moments of a time that is exponential with the probability that all servers are busy, else 0. That is exact
// for M/M/w. The probability is the one that waiting_time() implies (queueing.hpp). The number of copies that a record
// becomes counts as fixed.
demand_check check_demand(const system_view& view, const core_counts& given, const stream_demand& asked,
                          const record_paths& paths, std::vector<component_times>& times);

}  // namespace weir

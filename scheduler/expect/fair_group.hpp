#pragma once

#include <vector>

#include "scheduler/expect/queueing.hpp"

namespace weir {

// The members of a shared group, whose priorities divide the wait among them. A value.
//
// A group serves them by start-time fair queueing (work_list.hpp of runtime/engine), whose waits have no closed form. A
// member that asks for little of its share of the time waits for few others. So the wait of each is taken to be
// that of Kleinrock's formula (shared_queue) for the weight (priority / rho)^(3/2), with rho the part of the servers'
// time that it needs. The exponent is fitted to simulations (bench/measurements/flow_accuracy). Where all have one
// priority, the mean wait is that of each.
class fair_group {
 public:
  void add(const offered_load& one, int priority);
  // The wait of a member, with the load and the priority that were added, over the mean wait of a job.
  double part(const offered_load& one, int priority, int servers) const;

 private:
  struct member {
    offered_load load;
    int priority;
  };
  std::vector<member> members_;
  bool differs_ = false;  // their priorities
};

}  // namespace weir

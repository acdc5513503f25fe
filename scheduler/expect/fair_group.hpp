#pragma once

#include <vector>

#include "scheduler/expect/queueing.hpp"

namespace weir {

// The members of a shared group, whose priorities divide the wait among them. A value.
//
// A group serves them by start-time fair queueing (work_list.hpp of runtime/engine), whose waits have no closed form. A
// member that asks for little of its share of the time waits for few others. So the wait of each is taken to be
// that of Kleinrock's formula (waits_by_weight) for the weight (priority / rho)^(3/2), with rho the part of the
// servers' time that it needs. The exponent is fitted to simulations (bench/measurements/flow_accuracy). Where all have
// one priority, the mean wait is that of each.
class fair_group {
 public:
  void add(const offered_load& one, int priority);
  // The wait of each member over the mean wait of a job, in the order in which they were added; 1 for one without a
  // load. O(n log n).
  std::vector<double> parts(int servers) const;

 private:
  struct member {
    double seconds;  // of one server, a second
    int priority;
  };
  std::vector<member> members_;
};

}  // namespace weir

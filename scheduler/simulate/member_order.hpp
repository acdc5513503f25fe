#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "scheduler/simulate/scenario.hpp"

namespace weir::simulation {

// Which member of a shared group runs next. Where all components have one priority, members take turns.
//
// Where priorities differ, the order is that of a run (work_list.hpp of runtime/engine). The member that had least time
// over its priority is due: start-time fair queueing (Goyal, Vin and Cheng, IEEE/ACM Transactions on Networking 5,
// 1997). Idle time is not made up for. A member behind the due one in the stream goes first, four times in a row at
// most, unless its last invocation took much longer. Not thread-safe.
class member_order {
 public:
  // REQUIRES: of.validate() passed.
  explicit member_order(const scenario& of);

  // Whether priorities decide. Then all that can run should be known before take_next().
  bool has_priorities() const { return has_priorities_; }

  // The next of these components for which can_run holds; none where it holds for none.
  std::optional<std::size_t> take_next(const std::vector<std::size_t>& members,
                                       const std::function<bool(std::size_t)>& can_run);

  // After an invocation of this component in the group; seconds.
  void charge(std::size_t component, double seconds);

 private:
  struct account {
    double priority = 1;
    double virtual_time = 0;   // seconds over the priority
    double last_turn = 0;      // seconds
    std::vector<bool> behind;  // by component: records go from this one there, without links back
  };
  std::optional<std::size_t> in_turn(const std::vector<std::size_t>& members,
                                     const std::function<bool(std::size_t)>& can_run);

  std::vector<account> accounts_;  // by component
  bool has_priorities_ = false;
  double heaviest_ = 1;      // the largest priority
  double virtual_time_ = 0;  // no member that waits has less
  int passed_over_ = 0;      // members taken in front of the one that was due
  std::size_t next_ = 0;     // in the order of turns
};

}  // namespace weir::simulation

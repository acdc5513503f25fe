#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <weir/model/observation.hpp>
#include "model/weir/interference_model.hpp"
#include "scheduler/control/neighbour_times.hpp"

namespace weir {

// Learns from a run's observations whether components slow each other down, and how much. It says so only where two
// independent sets of observations agree: curves are learnt from one and must then explain the next one. Chance passes
// that in one of many thousand sets. A coupling found stays until a later set
// speaks against it, and its curves follow later sets.
//
// A set is of one allotment: after a move it begins anew. Models err differently on other numbers of cores, and that
// is no interference. A set is looked at when it has `enough` invocations of each component that records reach, twice
// as many, and four times as many. Then it ends, or as soon as it says something. Not thread-safe.
class learnt_interference {
 public:
  static constexpr int enough = 48, looks = 3;

  // Learns nothing where there are more components than interference_model::max_components, or one.
  explicit learnt_interference(std::size_t components);

  // Whether the time expected of the next invocation of the component is asked for.
  bool asks(std::size_t component) const { return neighbours_ && neighbours_->follows(component); }

  // Takes one invocation on cores in. `ratio`: its time over the time expected of it, where asks() was true. To leave
  // one out of the learning, but not as a neighbour, give NaN.
  void observe(const observation& seen, double ratio);

  // Learns from what was observed until now. The cost is bounded: a look at a set takes 0.5 to 2 ms for 8 components.
  void step();

  // Another allotment is in force.
  void moved();

  // Null while nothing is known to slow anything down.
  const std::shared_ptr<const interference_model>& known() const { return known_; }

 private:
  bool judge();
  void begin_set();

  std::unique_ptr<neighbour_times> neighbours_;
  std::unique_ptr<interference_model> set_;  // its observations
  std::vector<bool> reached_;                // by component: it was observed since the last move
  int looks_ = 0;                            // at this set
  std::shared_ptr<const interference_model> guess_, known_;
};

}  // namespace weir

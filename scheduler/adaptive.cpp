#include "scheduler/adaptive.hpp"

#include "scheduler/equal_shares.hpp"
#include "scheduler/placement.hpp"

namespace weir {

std::string objective::name() const { return "throughput"; }

adaptive::adaptive(objective goal, throughput_options options) : goal_(goal), options_(options) { options_.validate(); }

allotment adaptive::decide(const system_view& view) const {
  return place(all_observed(view) ? throughput_counts(view, options_) : equal_counts(view), view);
}

}  // namespace weir

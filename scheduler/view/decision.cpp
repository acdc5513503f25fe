#include "scheduler/view/decision.hpp"

#include <algorithm>
#include <limits>

namespace weir {

double mean_cores(const std::vector<decision>& decisions, double end) {
  if (decisions.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double begin = decisions.front().time;
  if (!(end > begin)) return decisions.front().to.cores_used();
  double sum = 0;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const double until = i + 1 < decisions.size() ? std::min(decisions[i + 1].time, end) : end;
    sum += decisions[i].to.cores_used() * std::max(0.0, until - decisions[i].time);
  }
  return sum / (end - begin);
}

}  // namespace weir

#include "scheduler/expect/group_share.hpp"

#include <algorithm>
#include <cmath>

#include "scheduler/expect/component_times.hpp"
#include "scheduler/expect/kind_times.hpp"

namespace weir {

bool divides_idle_cores(const allotment& given) {
  return std::ranges::all_of(given.components, [](const share& s) { return s.cores.empty(); });
}

group_share share_in_group(const system_view& view, std::size_t component) {
  constexpr double least_seconds = 1e-3;  // of an invocation: to make an arena for its cores takes 200 us
  constexpr double least_efficiency = 0.5, most_of_half = 0.9;  // of the time on half of the cores
  const component_view& c = view.components[component];
  component_times times(c);
  const double one = times.observed() ? times.invocation(1) : 0;
  group_share found{1, one > 0 ? one : 0};
  if (c.sequential || is_outside(c) || c.most_together > 1 || has_kinds(view)) return found;
  const int all = view.cores.size(), most = std::min(c.max_cores, all);
  const int half = std::max(1, most / 2);
  const bool are_many = view.components.size() > static_cast<std::size_t>(all);
  if (!(one > 0)) return {are_many ? 1 : half, 0};
  if (one < least_seconds) return found;
  if (const known_cores known = c.model->cores_known(); !known.alpha_known)
    return {known.smallest < most ? most : half, one};
  for (int p = 2; found.most_cores < most; p = std::min(2 * p, most)) {
    const double there = times.invocation(p);
    if (p * there * least_efficiency > one || there > most_of_half * times.invocation(found.most_cores)) break;
    found.most_cores = p;
  }
  return found;
}

void group_work::add_waiting(int records, double seconds, double seconds_of_next) {
  const double part = seconds > 0 && seconds_of_next > 0 ? seconds / seconds_of_next : 1;
  if (part < 0.5)
    short_ += records * part;
  else
    long_ += records;
}

int group_work::cores_of_next(int most) const {
  const double even = cores_ / (1 + running_ + long_ + short_);
  const int further = std::min(static_cast<int>(std::lround(even)) - 1, free_ - long_);
  return std::max(1, std::min(further + 1, most));
}

}  // namespace weir

#include "scheduler/expect/fair_group.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace weir {

void fair_group::add(const offered_load& one, int priority) { members_.push_back({one.rate * one.service, priority}); }

std::vector<double> fair_group::parts(int servers) const {
  std::vector<double> all(members_.size(), 1.0);
  const auto has_load = [](const member& m) { return m.seconds > 0; };
  const auto first = std::ranges::find_if(members_, has_load);
  const auto is_alike = [&](const member& m) { return !has_load(m) || m.priority == first->priority; };
  if (std::all_of(first, members_.end(), is_alike)) return all;
  std::vector<weighted_work> loaded;
  for (const member& m : members_)
    if (const double rho = m.seconds / servers; has_load(m)) loaded.push_back({std::pow(m.priority / rho, 1.5), rho});
  const std::vector<double> waits = waits_by_weight(loaded);
  for (std::size_t i = 0, next = 0; i < all.size(); ++i)
    if (has_load(members_[i])) all[i] = waits[next++];
  return all;
}

}  // namespace weir

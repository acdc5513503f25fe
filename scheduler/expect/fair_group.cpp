#include "scheduler/expect/fair_group.hpp"

#include <cmath>

namespace weir {
namespace {

double weight_of(const offered_load& one, int priority, int servers) {
  const double rho = one.rate * one.service / servers;
  return std::pow(priority / rho, 1.5);
}

}  // namespace

void fair_group::add(const offered_load& one, int priority) {
  if (!(one.rate * one.service > 0)) return;
  differs_ = differs_ || (!members_.empty() && members_.front().priority != priority);
  members_.push_back({one, priority});
}

double fair_group::part(const offered_load& one, int priority, int servers) const {
  if (!differs_ || !(one.rate * one.service > 0)) return 1;
  shared_queue all;
  for (const member& m : members_) all.add(m.load, weight_of(m.load, m.priority, servers));
  return all.part(servers, weight_of(one, priority, servers));
}

}  // namespace weir

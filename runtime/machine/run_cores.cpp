#include "runtime/machine/run_cores.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace weir::detail {

namespace {
thread_local int leased_core = -1;
}  // namespace

run_cores::run_cores(machine_state& on, std::stop_token stop) : machine_(on), stop_(std::move(stop)) {
  if (!platform().has_threads()) whole_ = make_lease(all()->all(), 0);
}

int run_cores::core_here() { return leased_core; }

std::shared_ptr<core_lease> run_cores::make_lease(const core_set& lane, int own) {
  return std::make_shared<core_lease>(lane, own, grant_over(lane), on_cores_);
}

std::shared_ptr<core_lease> run_cores::make_lease_outside() {
  return std::make_shared<core_lease>(grant_over({}), outside_);
}

bool run_cores::bind(core_binding& bound, const core_lease& s, bool to_lane) {
  const core_set& to = to_lane ? s.cores : s.own;
  leased_core = s.first_core();
  const int as_of = machine_.budget().changes();
  if ((bound.cores == to && bound.as_of == as_of) || to.empty()) return false;
  bound.cores = to;  // in the memory of before, where it is of the same size: see group::move_to()
  bound.as_of = as_of;
  if (!platform().bind(to) && platform().refuses(to)) machine_.binding_refused().store(true, std::memory_order_relaxed);
  return true;
}

bool run_cores::is_moved_by_system(const core_binding& bound) const {
  platform().unbind();
  const bool is_other = !machine_.budget().is_usable(platform().usable_here());
  if (!bound.cores.empty()) platform().bind(bound.cores);
  return is_other || machine_.budget().changes_now() ||
         bound.as_of != machine_.budget().changes();  // read last: a look may have come in between
}

grant run_cores::grant_over(const core_set& cores) const {
  std::vector<int> units;
  if (platform().is_local())
    for (const int core : cores)
      for (const int unit : (*all())[core].os_units) units.push_back(unit);
  int kind = 0;
  for (const int core : cores) kind = std::max(kind, (*all())[core].kind);
  return grant(std::max(1, cores.size()), std::move(units), stop_, platform().units(), kind);
}

}  // namespace weir::detail

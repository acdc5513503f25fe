#include "runtime/engine/group_leases.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "runtime/machine/run_cores.hpp"

namespace weir::detail {

// The core of the lane's own thread: see set().
int group_leases::own_core_of(const core_set& lane, const core_set& shared_cores) const {
  if (const core_set both = lane & shared_cores; !both.empty()) return both[0];
  const auto was = std::ranges::find_if(leases_, [&](const entry& e) { return lane.contains(e.where->own_core()); });
  return was != leases_.end() ? was->where->own_core() : lane[0];
}

std::vector<group_leases::lease> group_leases::set(run_cores& cores, const std::vector<core_set>& lanes,
                                                   const core_set& shared_cores) {
  std::vector<entry> now;
  for (const core_set& lane : lanes) {
    const int own = own_core_of(lane, shared_cores);
    const auto same = std::ranges::find_if(
        leases_, [&](const entry& e) { return e.where->cores == lane && e.where->own_core() == own; });
    now.push_back(same != leases_.end() ? *same : entry{cores.make_lease(lane, own), 0});
  }
  std::vector<lease> gone;
  for (const entry& e : leases_)
    if (std::ranges::find(now, e.where, &entry::where) == now.end()) gone.push_back(e.where);
  const auto all = std::make_shared<core_ledger::lease_list>();
  for (const entry& e : now) all->leases.push_back(e.where);
  // From here on nothing asks for memory.
  leases_ = std::move(now);
  for (const lease& s : gone) s->revoked.store(true);
  if (const auto before = std::exchange(all_, all)) before->has_changed.store(true);
  return gone;
}

void group_leases::add_outside(run_cores& cores, int count) {
  for (; count > 0; --count) leases_.push_back({cores.make_lease_outside(), 0});
}

group_leases::lease group_leases::use_free(int last_core) {
  entry* chosen = nullptr;
  for (entry& e : leases_)
    if (e.users == 0 && (!chosen || e.where->own_core() == last_core))
      chosen = &e;  // to stay on a core saves an affinity call
  if (!chosen) return nullptr;
  use(chosen->where);
  return chosen->where;
}

group_leases::lease group_leases::use_again(const lease& had) {
  auto chosen = std::ranges::find(leases_, had, &entry::where);
  if (chosen == leases_.end() || chosen->users > 0) {
    const auto other =
        std::ranges::find_if(leases_, [&](const entry& e) { return e.users == 0 && e.where->stands_in_for(*had); });
    if (other != leases_.end()) chosen = other;
  }
  const lease found = chosen == leases_.end() ? had : chosen->where;  // revoked, or in force
  use(found);
  return found;
}

bool group_leases::is_part_of(const entry& e, const lease& s) {
  return e.where == s || std::ranges::find(s->parts, e.where) != s->parts.end();
}

void group_leases::use(const lease& s) {
  ++users_;
  for (entry& e : leases_) e.users += is_part_of(e, s);
}

void group_leases::leave(const lease& s) {
  --users_;
  for (entry& e : leases_) e.users -= is_part_of(e, s);
}

bool group_leases::has(const lease& s) const { return std::ranges::find(leases_, s, &entry::where) != leases_.end(); }

int group_leases::free() const { return static_cast<int>(std::ranges::count(leases_, 0, &entry::users)); }

group_leases::lease group_leases::join(run_cores& cores, const lease& own, int others) {
  const int core = own->own_core();
  std::vector<lease> all;
  for (const entry& e : leases_)
    if (e.users == 0) all.push_back(e.where);
  std::ranges::sort(all, {}, [&](const lease& s) { return std::abs(s->own_core() - core); });
  all.resize(static_cast<std::size_t>(others));
  core_set joined = own->cores;
  for (const lease& s : all) joined = joined | s->cores;
  all.push_back(own);
  lease made = cores.make_lease(joined, core);
  made->parts = std::move(all);
  leave(own);
  use(made);
  return made;
}

}  // namespace weir::detail

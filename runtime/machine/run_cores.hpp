#pragma once

#include <memory>
#include <stop_token>

#include <weir/threads/primitives.hpp>
#include "runtime/machine/core_lease.hpp"
#include "runtime/machine/machine_state.hpp"

namespace weir::detail {

// One run's use of its machine's cores: makes the run's leases and binds its threads to them. Thread-safe.
class run_cores {
 public:
  // `stop`: the token that boxes see in the grants of the run's leases.
  run_cores(machine_state& on, std::stop_token stop);

  detail::platform& platform() const { return machine_.platform(); }
  const std::shared_ptr<const topology>& all() const { return machine_.cores(); }
  core_ledger& ledger() { return machine_.ledger(); }
  arena_cache& arenas() { return machine_.arenas(); }
  const foreign_load& others() const { return machine_.others(); }
  void work_begins() { machine_.work_begins(); }                         // by a thread that took its cores
  bool acquire_park_permit() { return machine_.acquire_park_permit(); }  // as in machine_state
  void release_park_permit() { machine_.release_park_permit(); }

  std::shared_ptr<core_lease> make_lease(const core_set& lane, int own);
  std::shared_ptr<core_lease> make_lease_outside();  // outside the cores, for a box that waits
  // All cores, for a thread that runs something on a machine without threads; null on other machines.
  const std::shared_ptr<core_lease>& whole() const { return whole_; }

  // Binds the calling thread to the lease's cores (`to_lane`), or to the one that is its own. `bound`: the cores that
  // the thread is bound to, kept up to date. Returns whether it has changed.
  bool bind(core_binding& bound, const core_lease& s, bool to_lane);
  // Whether the system, rather than a box, has given the calling thread other cores than it was bound to: the process
  // has others since. Throws std::bad_alloc.
  bool is_moved_by_system(const core_binding& bound) const;
  bool was_binding_refused() const { return machine_.binding_refused().load(); }
  static int core_here();  // the first core of the lease that the calling thread was last bound for; -1: none

 private:
  grant grant_over(const core_set& cores) const;

  machine_state& machine_;
  const std::stop_token stop_;
  threads::atomic<int> on_cores_{0}, outside_{0};  // threads with leases on and outside cores; under the ledger's lock
  std::shared_ptr<core_lease> whole_;
};

}  // namespace weir::detail

#pragma once

#include <atomic>
#include <memory>
#include <stop_token>

#include "runtime/machine/core_lease.hpp"
#include "runtime/machine/machine_state.hpp"

namespace weir::detail {

// One run's use of its machine's cores: the leases that it makes and the threads that are on them. Thread-safe.
class run_cores {
 public:
  // `stop`: what the grants of its leases show boxes.
  run_cores(machine_state& on, std::stop_token stop);

  platform& outside() const { return machine_.platform(); }
  const std::shared_ptr<const topology>& all() const { return machine_.cores(); }
  core_ledger& ledger() { return machine_.ledger(); }
  arena_cache& arenas() { return machine_.arenas(); }
  void work_begins() { machine_.work_begins(); }  // of a thread that took its cores

  std::shared_ptr<core_lease> make_lease(const core_set& lane, int own);
  std::shared_ptr<core_lease> make_lease_outside();  // the cores, for a box that waits
  // All cores, for whoever runs something on a machine without threads; null on others.
  const std::shared_ptr<core_lease>& whole() const { return whole_; }

  // Binds the calling thread, which was bound to `bound`, to the lease's cores, or to the one that is its own.
  void bind(core_set& bound, const core_lease& s, bool to_lane);
  bool was_binding_refused() const { return machine_.binding_refused().load(); }
  static int core_here();  // the first of the calling thread's lease; -1 when it has none

 private:
  grant grant_over(const core_set& cores) const;

  machine_state& machine_;
  const std::stop_token stop_;
  std::atomic<int> on_cores_{0}, outside_{0};  // threads that hold leases, of either kind; under the ledger's lock
  std::shared_ptr<core_lease> whole_;
};

}  // namespace weir::detail

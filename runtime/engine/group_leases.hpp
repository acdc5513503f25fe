#pragma once

#include <memory>
#include <vector>

#include <weir/scheduler/machine/core_set.hpp>
#include "runtime/machine/core_lease.hpp"

namespace weir::detail {

class run_cores;

// The leases of a group, and how many of its threads use each. Under the group's lock.
class group_leases {
 public:
  using lease = std::shared_ptr<core_lease>;

  // The leases of a new allotment, instead of the present ones. Leases that both have stay as they are. Returns the
  // leases that are revoked now. Throws std::bad_alloc; then nothing has changed. A lane's thread is bound to a core
  // that the lane shares with the shared group, which has the cores of `shared_cores`, so that handing over wakes no
  // other core. If there is none, it is bound to a core to which a thread of this group was bound.
  std::vector<lease> set(run_cores& cores, const std::vector<core_set>& lanes, const core_set& shared_cores);
  // Adds leases outside the cores, for threads that wait.
  void add_outside(run_cores& cores, int count);

  std::size_t count() const { return leases_.size(); }
  const lease& front() const { return leases_.front().where; }

  // A lease that no thread uses, for a thread that was on this core; null: none is free. It uses the lease from then
  // on.
  lease use_free(int last_core);
  void use(const lease& s);  // once more
  // Reacquires the lease of an invocation that may go on elsewhere. If threads use that lease, takes a free one that
  // stands in for it, where there is any.
  lease use_again(const lease& had);
  // The leases of the last set(), for as long as the caller keeps them; null before.
  const std::shared_ptr<core_ledger::lease_list>& all() const { return all_; }
  void leave(const lease& s);

  bool has(const lease& s) const;
  int free() const;                       // leases that no thread uses
  int threads() const { return users_; }  // that use leases, also revoked ones
  // A lease over the cores of `own` and of this number of free ones, the nearest to it. They are used from then on.
  // REQUIRES: the calling thread uses `own`, and there are that many. Throws std::bad_alloc, having changed nothing.
  lease join(run_cores& cores, const lease& own, int others);

  // Calls f(core) with the own core of each lease that is free, until f returns true, which this returns, too.
  template <class F>
  bool any_free(const F& f) const {
    for (const entry& e : leases_)
      if (e.users == 0 && f(e.where->own_core())) return true;
    return false;
  }

 private:
  struct entry {
    lease where;
    int users = 0;  // threads that hold it, or wait to reacquire it
  };
  static bool is_part_of(const entry& e, const lease& s);
  int own_core_of(const core_set& lane, const core_set& shared_cores) const;

  std::vector<entry> leases_;
  int users_ = 0;
  std::shared_ptr<core_ledger::lease_list> all_;
};

}  // namespace weir::detail

#pragma once

#include <memory>
#include <string>

#include <weir/machine/hidden_classes.hpp>

namespace [[gnu::visibility("default")]] weir {

// The cores that a run may use: this computer's, or those of a synthetic machine for tests and planning. Give it to
// options::machine.
//
// It is a handle: copies are the same machine. Runs on the same machine share its cores under one controller, which
// leases each run an equal part of them; with more runs than cores, runs take turns. Thread-safe.
class machine {
 public:
  // This computer's cores, as far as the process may use them. Runs follow its cpuset, its affinity and its CPU quota
  // while these change. But cores that its cpuset or affinity left out at the first call are not used later. Other
  // processes may have a part of the cores (options::neighbours). Every call returns the same machine. While a run is
  // active on it, oneTBB's process-wide worker limit is the number of the cores in use + 1. After the last run that
  // limit is released, and oneTBB's arenas are destroyed.
  static machine local();

  // The cores that an hwloc synthetic topology describes, such as "package:4 core:12 pu:1": for tests, emulation and
  // planning. Its cores may be of several kinds, as in "core:14 pu:1 kinds:6xP,8xE@0.6" (topology::synthetic). Each
  // call makes another machine. No thread is bound to a core; threads are made on demand, one per lane. Throws
  // std::invalid_argument, naming the text, when hwloc does not understand it or would read it for many seconds.
  static machine synthetic(const std::string& text);

  // Whether a run is active on it. On the local machine, while this is false, weir has nothing of oneTBB: no arena, no
  // limit, no thread. So tbb::finalize() succeeds, unless the program itself still uses oneTBB. A thread that has sent
  // records to a run has perhaps run boxes: it counts as a user of oneTBB until it ends.
  bool is_in_use() const;

  int size() const;             // the number of cores that the system permits, as last seen
  std::string summary() const;  // "2 cores, 1 package, 1 NUMA node, 1 L3"

  // For the runtime.
  explicit machine(std::shared_ptr<detail::machine_state> state) : state_(std::move(state)) {}
  const std::shared_ptr<detail::machine_state>& state() const { return state_; }

 private:
  std::shared_ptr<detail::machine_state> state_;
};

}  // namespace weir

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/machine/core_set.hpp"

namespace [[gnu::visibility("default")]] weir {

// The cores of a machine as weir sees them, read once through hwloc. Immutable; safe to share between threads.
//
// A core here is a physical core (its SMT siblings belong to it and are bound together) that the process may use: a
// cpuset that leaves a core no allowed processing unit leaves it out. Cores are numbered 0..size()-1 in hwloc's logical
// order, so neighbours by number are neighbours in caches.
class topology {
 public:
  struct core {
    std::vector<int> os_units;  // the system's numbers of its allowed processing units; what a thread is bound to
    int package = 0;            // index of its package, NUMA node and last-level cache, each from 0
    int numa_node = 0;
    int l3 = 0;
  };

  // This machine, restricted to what the process may run on: its cpuset, and its CPU quota as it is at the moment
  // (cpu_quota.hpp). Never throws: when hwloc cannot read the machine it has a core for each processing unit that the
  // process may use, or std::thread::hardware_concurrency() where the system does not say, side by side, and notes()
  // says so.
  static topology local();

  // An hwloc synthetic topology such as "package:4 core:12 pu:1". Throws std::invalid_argument naming the text when
  // hwloc does not understand it or would read it for many seconds ("core:2048 pu:1" is read, "core:4096 pu:1" is not,
  // "package:64 core:64 pu:4" is), or when it has no core.
  static topology synthetic(const std::string& text);

  // The same for a process that may use only these processing units of it (numbered from 0, any order, SMT siblings
  // next to each other): what a cpuset leaves of such a machine, odd shapes included. Throws std::invalid_argument also
  // when the list is empty or names a unit that the machine does not have.
  static topology synthetic(const std::string& text, const std::vector<int>& units);

  // The same under a CPU quota of so many cores: the first max(1, floor(cores)) of them. REQUIRES: cores > 0.
  //
  // Rounded down, since a quota is used up by all threads together: with one more than it feeds, every period ends with
  // all of them stopped, whatever they are in the middle of, and models would learn the stops. What is left over goes
  // to the threads that weir does not bind, the caller's among them. The first, since neighbours by number are near.
  topology within_quota(double cores) const;

  int size() const { return static_cast<int>(cores_.size()); }
  const core& operator[](int i) const { return cores_[static_cast<std::size_t>(i)]; }
  core_set all() const { return core_set::range(0, size()); }
  bool is_synthetic() const { return synthetic_; }
  bool is_assumed() const { return assumed_; }  // hwloc could not read it: it is a guess, and nobody can be bound to it

  // The CPU quota that it is within, in cores, whether that leaves any out or not; nothing where there is none.
  std::optional<double> cpu_quota() const { return cpu_quota_; }

  // What the machine did not allow or tell, one sentence each; empty on a good day.
  const std::vector<std::string>& notes() const { return notes_; }

  // A line such as "2 cores, 1 package, 1 NUMA node, 1 L3" for reports.
  std::string summary() const;

 private:
  friend class topology_reader;  // the one place that knows hwloc, in topology.cpp

  std::vector<core> cores_;
  std::vector<std::string> notes_;
  std::optional<double> cpu_quota_;
  bool synthetic_ = false;
  bool assumed_ = false;
};

}  // namespace weir

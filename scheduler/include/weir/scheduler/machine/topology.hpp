#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weir/scheduler/machine/core_kind.hpp>
#include <weir/scheduler/machine/core_set.hpp>

namespace [[gnu::visibility("default")]] weir {

// The cores of a machine as weir sees them, read once through hwloc. Immutable; safe to share between threads.
//
// A core here is a physical core that the process may use. Its SMT siblings belong to it and are bound together. A core
// is left out if the process's cpuset allows none of its processing units. Cores are numbered 0..size()-1 in hwloc's
// logical order, so neighbours by number are neighbours in caches.
class topology {
 public:
  // A physical core: its processing units, and where it is.
  struct core {
    std::vector<int> os_units;  // system numbers of its allowed processing units; threads are bound to these
    int package = 0;            // index of its package, from 0
    int numa_node = 0;          // of its NUMA node, from 0
    int l3 = 0;                 // of its last-level cache, from 0
    int kind = 0;               // index into kinds()
  };

  // This machine, restricted to the cores that the process may run on, by its cpuset and by its CPU quota as it is now
  // (cpu_quota.hpp). Throws nothing but std::bad_alloc. If hwloc cannot read the machine, there is one core for each
  // processing unit that the process may use. If the system does not tell these either, there are
  // std::thread::hardware_concurrency() cores. These cores lie side by side, and notes() says so.
  static topology local();

  // The same without regard to a CPU quota: for a caller that follows the quota as it changes.
  static topology local_without_quota();

  // An hwloc synthetic topology such as "package:4 core:12 pu:1". Throws std::invalid_argument naming the text when
  // hwloc does not understand it, when it has no core, or when hwloc would need more than a second or two to read it.
  // For example, "core:8192 pu:1" and "package:64 core:64 pu:4" are read, "core:65536 pu:1" is not.
  //
  // Behind it may stand the kinds of its cores, in the order of their numbers and the fastest first. For example,
  // "core:14 pu:1 kinds:6xP,8xE@0.6" has 6 cores named P, and 8 named E that do 0.6 of their work a second (1 if no
  // speed is said). Throws also when the kinds are not those of all cores, or when a later kind is faster.
  static topology synthetic(const std::string& text);

  // The same for a process that may use only these processing units of it. Units are numbered from 0, with SMT siblings
  // next to each other; the list may be in any order. This gives what a cpuset leaves of a machine, odd shapes
  // included. Throws std::invalid_argument also when the list is empty or names a unit that the machine does not have.
  static topology synthetic(const std::string& text, const std::vector<int>& units);

  // The same machine under a CPU quota of `cores`: its first max(1, floor(cores)) cores. They are the first ones since
  // neighbours by number are near each other. REQUIRES: cores > 0.
  //
  // The number is rounded down because all threads together use up a quota. With one thread more than it feeds, the
  // system stops all of them at the end of every period. Models would then learn the stops. The rest of the quota goes
  // to the threads that weir does not bind, the caller's among them.
  topology within_quota(double cores) const;

  int size() const { return static_cast<int>(cores_.size()); }  // the number of cores
  // The core of this number. REQUIRES: 0 <= i < size().
  const core& operator[](int i) const { return cores_[static_cast<std::size_t>(i)]; }
  core_set all() const { return core_set::range(0, size()); }  // the numbers of all cores
  // The kinds of its cores, the fastest first; one where all are alike, or where the machine does not tell.
  const std::vector<core_kind>& kinds() const { return kinds_; }
  bool is_synthetic() const { return synthetic_; }  // made from a text: no thread can be bound to it
  bool is_assumed() const { return assumed_; }  // a guess, since hwloc could not read it; no thread can be bound to it

  // Whether the environment has hwloc describe another machine than this; then no thread can be bound either.
  bool is_elsewhere() const { return elsewhere_; }

  // The CPU quota that applies, in cores, even if it leaves no core out; nothing where there is none.
  std::optional<double> cpu_quota() const { return cpu_quota_; }

  // Notes on things that the machine did not allow or tell, one sentence each; empty if nothing is missing.
  const std::vector<std::string>& notes() const { return notes_; }

  // How many of these cores are of each kind, such as "6 P, 8 E"; empty where all cores of the machine are alike.
  std::string kinds_of(const core_set& of) const;

  // A line such as "2 cores, 1 package, 1 NUMA node, 1 L3" for reports, on all cores or on these. "14 cores (6 P, 8 E),
  // .." where they are of several kinds.
  std::string summary() const { return summary(all()); }
  std::string summary(const core_set& of) const;

  // The same behind the name of its processor: "Intel(R) Xeon(R) Processor, 2 cores, ..", to tell machines apart.
  // Without the name where the system does not tell it; "synthetic, 8 cores, .." for a machine made from a text.
  std::string description() const;

 private:
  friend class topology_reader;  // the one place that knows hwloc, in topology.cpp

  std::vector<core> cores_;
  std::vector<core_kind> kinds_{core_kind{}};
  std::vector<std::string> notes_;
  std::string processor_;  // its name; empty: not told
  std::optional<double> cpu_quota_;
  bool synthetic_ = false;
  bool assumed_ = false;
  bool elsewhere_ = false;
};

}  // namespace weir

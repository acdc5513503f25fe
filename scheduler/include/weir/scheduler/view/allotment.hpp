#pragma once

#include <string>
#include <vector>

#include <weir/scheduler/machine/core_set.hpp>

namespace [[gnu::visibility("default")]] weir {

// The share of one component: cores of its own, and how many invocations may run on them concurrently (its lanes). A
// component without cores of its own is a member of the shared group, unless it runs outside the cores. In that case it
// runs on threads that wait for I/O, which no core is counted for. Plain data.
struct share {
  core_set cores;        // empty: member of the shared group, or outside
  int width = 1;         // lanes; each has floor or ceil(cores/width) cores. Meaningless in the shared group.
  bool outside = false;  // `.blocking(max)`: no cores; `width` is how many invocations may wait

  bool is_member() const { return cores.empty() && !outside; }  // of the shared group
  bool operator==(const share&) const = default;
};

// Which component has which cores: a policy decides it and the runtime carries it out. Plain data, by component index.
//
// These always hold, and check() tests them. The cores of different components are disjoint. A component that runs
// outside the cores has none. `shared` is not empty while it has members. `shared` is disjoint from the owners' cores,
// or it is exactly one core that belongs to an owner. In that case the group runs between that owner's invocations.
struct allotment {
  std::vector<share> components;  // in network order
  core_set shared;                // of the shared group
  bool operator==(const allotment&) const = default;

  // The index of the owner whose core the shared group lies on, or -1.
  int shared_host() const;

  // The number of cores that components own or share.
  int cores_used() const;
};

// Tests the invariants above for a run that may use `cores`. Returns "" when they hold, else one sentence about the
// first violation.
std::string check(const allotment& given, const core_set& cores);

// Puts an allotment into words, such as "multiply 2 cores x 1 lane {0-1}, shared {0} (generate)". Owners and components
// outside the cores come in network order, then the shared group with its members. Throws std::invalid_argument when
// there are fewer names than components.
std::string to_string(const allotment& given, const std::vector<std::string>& names);

}  // namespace weir

#pragma once

#include <string>
#include <vector>

#include "scheduler/machine/core_set.hpp"

namespace [[gnu::visibility("default")]] weir {

// What one component is given: cores of its own and how many invocations it may run at once on them (its lanes). A
// component without cores of its own is a member of the shared group, unless it runs outside the cores: on threads that
// wait for I/O and that no core is counted for.
struct share {
  core_set cores;        // empty: member of the shared group, or outside
  int width = 1;         // lanes; each has floor or ceil(cores/width) cores. Meaningless in the shared group.
  bool outside = false;  // `.blocking(max)`: no cores; `width` is how many invocations wait at once

  bool is_member() const { return cores.empty() && !outside; }  // of the shared group
  bool operator==(const share&) const = default;
};

// Who has which cores: what a policy decides and the runtime carries out. Plain data, by component index.
//
// Always holds: cores of different components are disjoint; what runs outside the cores has none; `shared` is not empty
// while it has members; `shared` is disjoint from the owners' cores, or is exactly one core and lies on an owner's
// core, where the group then runs between that owner's invocations.
struct allotment {
  std::vector<share> components;
  core_set shared;
  bool operator==(const allotment&) const = default;

  // The index of the owner on whose core the shared group lies, or -1.
  int shared_host() const;
};

// Says what is wrong with an allotment in one sentence, or returns "" when the invariants above hold for `cores`.
std::string check(const allotment& given, const core_set& cores);

// "multiply 2 cores x 1 lane {0-1}, store 16 at once outside the cores, shared {0} (generate)": owners and what runs
// outside in network order, then the shared group with its members. Throws std::invalid_argument unless there is a name
// for every component.
std::string to_string(const allotment& given, const std::vector<std::string>& names);

}  // namespace weir

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "model/estimator.hpp"
#include "scheduler/machine/core_set.hpp"
#include "scheduler/machine/topology.hpp"
#include "scheduler/view/allotment.hpp"

namespace [[gnu::visibility("default")]] weir {

inline constexpr int unlimited = std::numeric_limits<int>::max();

// One recent invocation: predictor value, cores of its lane, useful seconds. Never one that measures a move
// (observation::after_move).
struct invocation_sample {
  double x = 1;
  int cores = 1;
  double seconds = 0;
};

// One of the predictor values that stand for what comes, and the part of the invocations that it stands for.
struct typical_input {
  double x = 1;
  double weight = 1;
};

// What a policy may know about one component at one moment. Plain data.
struct component_view {
  std::string name;
  std::shared_ptr<const estimator> model;  // a snapshot; never null
  std::vector<invocation_sample>
      recent;                         // the last timed invocations (<= 256) with inputs like the latest, latest last
  std::vector<typical_input> inputs;  // of those and of more before them, ascending; empty: those of `recent`
  std::uint64_t inputs_seen = 0;      // how many `inputs` stand for
  std::uint64_t invocations = 0;      // since the start of the run
  std::uint64_t invocations_since_move = 0;  // those that `recent` takes in, on the allotment in force
  double visits = 1;             // V: invocations per record that enters; 0 while none came, though others did
  double arrival_rate = 0;       // records a second that reached its input, lately
  std::size_t queue_length = 0;  // records waiting at its input
  int instances = 1;             // places in the unfolded network that run this box
  int min_cores = 1, max_cores = unlimited;  // `.cores(min, max)` of the box
  int max_width = unlimited;                 // `.width(max)`; 1 for a serial box
  bool sequential = false;                   // gains nothing from a second core in one invocation
  bool runs_inline = false;                  // measured to be shorter than a hand-over: runs in whoever delivers to it
  int blocking =
      0;  // `.blocking(max)`: so many invocations wait at once on threads outside the cores; 0: it needs cores
  double time_factor = 1;  // what the model says is taken this many times: 1.1 is a tenth longer
};

// Whether it runs on threads outside the cores: `.blocking(max)`. It then owns no cores and is no member of the shared
// group, whatever other bounds its box has, and its invocations take as long as on one core.
inline bool is_outside(const component_view& c) { return c.blocking > 0; }

// Invocations of a component that may run at once, each on one core, while it is a member of the shared group.
int shared_lanes(const component_view& c);

// So many records, for each that enters the network, go from one component to another, whatever filters and merges lie
// between; what goes round in a loop counts once. As `from`, -1 is the network's input. Records that leave the network
// are in no link.
struct link {
  int from = -1, to = -1;
  double records = 1;
};

// Everything a decision may depend on: policy::decide is a pure function of it.
struct system_view {
  std::vector<component_view> components;  // in network order: neighbours here are neighbours in the stream
  std::vector<link> links;                 // empty: a chain of all components in network order
  double arrival_rate = 0;                 // records a second that were offered to the network, lately; 0: not known
  std::shared_ptr<const topology> machine;
  core_set cores;             // what this run may use; not empty
  allotment current;          // in force; components empty before the first decision
  double in_force_since = 0;  // seconds since the run started
  double time = 0;            // now, in the same seconds
  bool needs_shared = false;  // the shared group runs something besides its components: dispatch, filters, merges
  double move_cost = 0;       // measured seconds that a move costs this run; 0: not measured
};

// The names of the components, by index.
std::vector<std::string> names_of(const system_view& view);

}  // namespace weir

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/scheduler/machine/core_set.hpp>
#include <weir/scheduler/machine/topology.hpp>
#include <weir/scheduler/view/allotment.hpp>

namespace [[gnu::visibility("default")]] weir {

class interference_model;

// The value of a bound that does not limit.
inline constexpr int unlimited = std::numeric_limits<int>::max();

// One recent invocation: its predictor value, the cores of its lane, and its useful seconds, or CPU seconds in a run
// that learns from those. Never the first invocation after a move (observation::after_move).
struct invocation_sample {
  double x = 1;        // the predictor value
  int cores = 1;       // of its lane
  double seconds = 0;  // that it took
};

// All that a policy may know about one component at one moment. Plain data.
struct component_view {
  std::string name;                        // of its box
  std::shared_ptr<const estimator> model;  // a snapshot; never null
  std::vector<invocation_sample>
      recent;                         // the last timed invocations (<= 256) with inputs like the latest, latest last
  std::vector<typical_input> inputs;  // from `recent` and from inputs before it, ascending in x; empty: use `recent`
  std::uint64_t inputs_seen = 0;      // the number of invocations that `inputs` represent
  std::vector<typical_input> next_inputs;    // of the records that wait, if they are unlike `inputs`; else empty
  std::uint64_t next_inputs_seen = 0;        // the number of records that `next_inputs` represent
  std::uint64_t invocations = 0;             // since the start of the run
  std::uint64_t invocations_since_move = 0;  // of these, on the allotment in force; 256 at most
  double together = 1;                       // records of an invocation, where it may take several
  int most_together = 1;                     // records that an invocation may take
  double visits = 1;                         // V: invocations per record that enters; 0: none yet, but others had some
  double arrival_rate = 0;                   // recent records a second that reached its input
  std::size_t queue_length = 0;              // records waiting at its input
  int instances = 1;                         // number of places in the unfolded network that run this box
  int min_cores = 1, max_cores = unlimited;  // `.cores(min, max)` of the box
  int max_width = unlimited;                 // `.width(max)`; 1 for a serial box
  std::string limited_by;                    // the resource that sets max_width; empty: none does
  bool sequential = false;                   // one invocation gains nothing from a second core
  bool runs_inline = false;                  // shorter than a hand-over: runs on the thread that delivers to it
  int blocking = 0;        // `.blocking(max)`: invocations that may wait on threads outside the cores; 0: needs cores
  double time_factor = 1;  // multiplies the times of the model: 1.1 is a tenth longer
  // By kind of cores (topology::kinds()): the time of an invocation there over that of the model. Empty: all are 1 over
  // the kind's speed.
  std::vector<double> kind_factors;
  int priority = 1;  // `.priority(weight)`: its weight where it shares cores
};

// Whether it runs on threads outside the cores (`.blocking(max)`). Then it owns no cores and is no member of the shared
// group, whatever other bounds its box has. Its invocations take as long as on one core.
inline bool is_outside(const component_view& c) { return c.blocking > 0; }

// How many invocations of a component may run concurrently, each on one core, while it is a member of the shared group.
int shared_lanes(const component_view& c);

// The records that go from one component to another, for each record that enters the network. Filters and merges in
// between do not matter. A record that goes round a loop counts once. `from` is -1 for the network's input. Records
// that leave the network are in no link of a view.
struct link {
  int from = -1, to = -1;  // indices of components
  double records = 1;      // for each that enters the network
};

// Everything that a decision may depend on: policy::decide is a pure function of it. Plain data; safe to read from
// several threads while none changes it.
struct system_view {
  std::vector<component_view> components;   // in network order: neighbours here are neighbours in the stream
  std::vector<link> links;                  // empty: a chain of all components in network order
  double arrival_rate = 0;                  // recent records a second offered to the network; 0: not known
  std::shared_ptr<const topology> machine;  // never null
  core_set cores;                           // what this run may use; not empty
  allotment current;                        // in force; components empty before the first decision
  double in_force_since = 0;                // seconds since the run started
  double time = 0;                          // now, in the same seconds
  bool needs_shared = false;                // the shared group also runs dispatch, filters or merges
  double move_cost = 0;                     // measured seconds that a move costs this run; 0: not measured
  // Latencies of the last records that left since the allotment came into force, in seconds, oldest first; at most 512.
  // A live run measures only some of its records.
  std::vector<double> latencies;
  std::uint64_t left_since_move = 0;  // of such records, in all
  // How much components slow each other down; null: nothing is known of it. Simulations alone set it. The
  // models' times are those under the pressure of the allotment in force.
  std::shared_ptr<const interference_model> interference;
};

// The names of the components, by index.
std::vector<std::string> names_of(const system_view& view);

}  // namespace weir

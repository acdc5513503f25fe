#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weir/scheduler/policies/fixed_shares.hpp>
#include <weir/scheduler/view/system_view.hpp>
#include "scheduler/simulate/arrivals.hpp"
#include "scheduler/simulate/cost_truth.hpp"

namespace weir::simulation {

// The distribution of a predictor value, as its quantile function, so that its mean can be integrated. Plain data.
struct input_range {
  enum class shape { uniform, log_uniform, exponential, values };
  shape how = shape::uniform;
  double low = 1, high = 1;    // for exponential: low is the mean, high is unused
  std::vector<double> values;  // for values: all are equally likely

  // The value below which x lies with probability u in (0, 1).
  double at(double u) const;
};

// Late invocations: with probability `part` the time is multiplied by low (1 - u)^(-1/exponent), a Pareto distribution.
struct lateness {
  double part = 0;
  double low = 2;
  double exponent = 1.5;  // more than 1, else there is no mean

  // By which it multiplies the mean of all times.
  double mean_factor() const { return part > 0 ? 1 + part * (low * exponent / (exponent - 1) - 1) : 1; }
};

// A device: its slots, and the times in which it fails. Plain data.
struct simulated_device {
  // An invocation that runs at such a time throws at its end. Seconds.
  struct failure {
    double from = 0, until = 0;
  };
  std::string name;
  int slots = 2;
  std::vector<failure> fails;
};

// A resource, such as memory. Plain data.
struct simulated_resource {
  std::string name;
  double total = 1;
};

// One component: its box, its true cost, and the knowledge that a model may have. Plain data.
struct simulated_component {
  // The inputs and the cost factor of a component in one phase.
  struct phase {
    input_range x;
    double factor = 1;  // multiplies all its times: a change that no predictor shows
  };

  std::string name;
  cost_truth cost;
  std::vector<phase> phases{{}};  // as many as the scenario has, or one for all
  bool common_x = false;          // its x depends on the record alone: all such components have the same quantile
  int degree = 3;                 // of Tseq(x), for the estimator
  double noise = 0;               // factor of times: log-normal, mean 1, this deviation of the logarithm
  lateness late;

  // Components share memory bandwidth and caches. At each moment an invocation needs 1 + sensitivity Q times as long
  // for its work. Q is the sum of pressure x cores of the others that run on its machine then (running_pressure.hpp).
  double pressure = 0;  // of each core that it keeps busy
  double sensitivity = 0;

  int min_cores = 1, max_cores = unlimited;  // as in component_view
  int max_width = 1;
  int priority = 1;  // 1 to 1000: its weight where components share cores (member_order.hpp)
  bool sequential = false;
  int blocking = 0;  // if above 0: invocations that may wait outside the cores, each as long as on one core
  int machine = 0;   // of scenario::machine_cores: it runs on that one's cores
  // Things that an invocation outside the cores takes, such as ports: each is taken by one at a time, of all
  // components.
  std::vector<int> takes{};
  // By kind of the machine's cores: its time there over that on the first kind. Empty: 1 over the kind's speed.
  std::vector<double> kind_factors{};

  // Records that an invocation takes at most, as it learns (batch_sizes.hpp), and the seconds of an invocation besides
  // those of its records.
  int most_in_batch = 1;
  double batch_start = 0;

  // A second implementation, on a device.
  struct on_device {
    int device = 0;                    // of scenario::devices
    cost_truth cost;                   // on one slot: cost(x, 1), of each record
    double batch_start = 0;            // seconds of an invocation besides those of its records
    std::vector<double> slot_factors;  // of its times with 1, 2, .. slots in use, the last from there on; empty: 1
    std::optional<double> from;        // records from this x on run there, all others on cores; none: it is learnt
  };
  std::optional<on_device> second;

  // The part of a resource that an invocation needs: fixed + per_x x.
  struct need {
    std::size_t of = 0;  // of scenario::resources
    double fixed = 0, per_x = 0;
  };
  std::vector<need> needs;

  // Places of its input queue; 0: the runtime's least, max(4, 2 width + 2, most_in_batch (width + 1)); with a
  // device, its slots and 2 count as lanes there.
  std::size_t capacity = 0;
  bool joins = false;    // merges one copy of a record from each of its links into one
  bool chooses = false;  // each record leaves on one link; `records` are the probabilities

  const phase& in(std::size_t i) const { return phases[phases.size() == 1 ? 0 : i]; }

  // The time of an invocation in a phase, without noise. Throws std::invalid_argument naming the component, x, the
  // cores and the time, unless is_time(): no run computes with another.
  double time_of(double x, int on_cores, const phase& in_phase) const;
};

// The changes of a phase for the whole network. Plain data.
struct network_phase {
  int cores = 0;                // that there are, from core 0 on; 0: all
  std::vector<double> records;  // of each of scenario::all_links(), in place of its own; empty: its own
};

// Periods in which several components are slow together, as next to a busy neighbour. Plain data. They depend on the
// seed and the time alone, so every policy meets the same ones. An invocation that begins in one is slow to its end.
struct slow_down {
  std::vector<std::size_t> components;  // that it slows down; empty: all
  input_range factor;                   // of their times, drawn for each period
  input_range every;                    // seconds from the end of a period, or the start of the run, to the next one
  input_range lasts;                    // seconds
  std::vector<std::size_t> phases;      // that the network must be in; empty: any
};

// Everything about a network that does not depend on the policy. Plain data.
struct scenario {
  static constexpr int most_cores = 10'000;
  static constexpr int most_records = 1'000'000'000;  // counted in 32 bits to fit a queue; more would take days

  std::string name;
  std::string machine;                          // synthetic topology; empty: "core:<cores> pu:1"
  int cores = 16;                               // of all machines
  std::vector<int> machine_cores;               // of each machine, one after the other; empty: there is one
  std::vector<simulated_component> components;  // in network order
  // The links: like system_view::links, but for one invocation of `from`, not for one record that enters. A fractional
  // copy leaves with the probability of the fraction. Empty: a chain of all. A link to a component that is not after
  // `from` leads back. It has no capacity, since its records would otherwise wait for themselves.
  std::vector<link> links;
  arrivals coming;
  std::uint64_t records = 1000;                // number that enter; the run ends when all their results have left
  std::vector<std::uint64_t> phase_starts{0};  // the record each phase begins with
  std::vector<network_phase> phases;           // as many, or none: nothing changes for the whole network
  std::vector<slow_down> slow_downs;           // several at the same time multiply
  double move_cost = 0;                        // seconds lost by a lane whose cores change
  std::vector<simulated_device> devices;
  std::vector<simulated_resource> resources;
  std::vector<fixed_share> fixed;  // the shares of policy "fixed"; empty: there is none

  // Throws std::invalid_argument naming the component or key, what was given and what was expected.
  void validate() const;

  // The links; a chain if none are given.
  std::vector<link> all_links() const;

  // The links that the records of a phase follow, and the cores that there are while it is the latest to have begun.
  std::vector<link> links_in(std::size_t phase) const;
  int cores_in(std::size_t phase) const;

  int machines() const { return machine_cores.empty() ? 1 : static_cast<int>(machine_cores.size()); }
  core_set cores_of(int of_machine, std::size_t phase) const;

  // Records that a component with a device has waiting or running at a time, at most.
  std::size_t most_waiting_at_device(std::size_t component, int lanes) const;

  // Whether some phase has links of its own.
  bool changes_routing() const;

  // The number of records of a phase.
  std::uint64_t records_in(std::size_t phase) const;
};

// By kind of the machine's cores: simulated_component::kind_factors, or by the speeds of the kinds. Throws
// std::invalid_argument when these are not as many as the machine has.
std::vector<double> factors_of(const simulated_component& of, const topology& machine);

// The middle of `parts` equal parts of a distribution, which stand for it.
std::vector<double> sampled(const input_range& range, int parts = 256);

// Invocations of each component per record that enters, if an invocation sends `each` records on the links.
std::vector<double> visits_of(const scenario& of, const std::vector<link>& each);

// Converts links to those of a system_view: per record that enters.
std::vector<link> per_input(std::vector<link> each, const std::vector<double>& visits);

}  // namespace weir::simulation

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/policies/fixed_shares.hpp"
#include "scheduler/simulate/arrivals.hpp"
#include "scheduler/simulate/cost_truth.hpp"
#include "scheduler/view/system_view.hpp"

namespace weir::simulation {

// How a predictor value is distributed: as its quantile function, so that its mean can be integrated. Plain data.
struct input_range {
  enum class shape { uniform, log_uniform, exponential, values };
  shape how = shape::uniform;
  double low = 1, high = 1;    // of exponential: low is the mean, high means nothing
  std::vector<double> values;  // of values: each as likely as the others

  // The value below which x lies with probability u in (0, 1).
  double at(double u) const;
};

// Invocations are late: times low (1 - u)^(-1/exponent), a Pareto distribution, with probability `part`.
struct lateness {
  double part = 0;
  double low = 2;
  double exponent = 1.5;  // more than 1, or there is no mean
};

// One component: what its box is, what it costs in truth, and what a model may know.
struct simulated_component {
  // What a component does with its records in one phase.
  struct phase {
    input_range x;
    double factor = 1;  // all its times, times this: a change that no predictor tells
  };

  std::string name;
  cost_truth cost;
  std::vector<phase> phases{{}};  // as many as the scenario has, or one for all
  bool common_x = false;          // its x follows from the record alone: all such components meet the same quantile
  int degree = 3;                 // of Tseq(x), for the estimator
  double noise = 0;               // times log-normal, of mean 1 and this deviation of the logarithm
  lateness late;

  int min_cores = 1, max_cores = unlimited;  // as in component_view
  int max_width = 1;
  bool sequential = false;
  int blocking = 0;  // more than 0: so many invocations wait at once outside the cores, each as long as on one core

  std::size_t capacity = 0;  // of the queue at its input; 0: the least that the runtime takes, max(4, 2 width + 2)
  bool joins = false;        // waits for one copy of a record on each of its links and makes one of them
  bool chooses = false;      // each record leaves on one of its links, by the probabilities `records`

  const phase& in(std::size_t i) const { return phases[phases.size() == 1 ? 0 : i]; }
};

// All that happens to a network whatever the policy. Plain data.
struct scenario {
  std::string name;
  std::string machine;  // synthetic topology; empty: "core:<cores> pu:1"
  int cores = 16;
  std::vector<simulated_component> components;  // in network order
  // Where results go: as system_view::links, but for one invocation of `from`, not for one record that enters. Copies
  // beyond a whole number leave with the probability of the rest. Empty: a chain of all. A link to a component that is
  // not after `from` goes back: it has no capacity, since its records would otherwise wait for themselves.
  std::vector<link> links;
  arrivals coming;
  std::uint64_t records = 1000;                // that enter; the run ends when all that came of them has left
  std::vector<std::uint64_t> phase_starts{0};  // the record each phase begins with
  double move_cost = 0;                        // seconds that a lane loses whose cores change
  std::vector<fixed_share> fixed;              // what policy "fixed" gives; empty: there is none

  // Throws std::invalid_argument naming the component or key, what was given and what was expected.
  void validate() const;

  // The links, those of a chain when none are given.
  std::vector<link> all_links() const;

  // The records of a phase.
  std::uint64_t records_in(std::size_t phase) const;
};

// Invocations of each component per record that enters, when an invocation sends so many records on each link.
std::vector<double> visits_of(const scenario& of, const std::vector<link>& each);

// Such links as system_view has them: per record that enters.
std::vector<link> per_input(std::vector<link> each, const std::vector<double>& visits);

}  // namespace weir::simulation

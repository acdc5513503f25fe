#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <weir/scheduler/predict/predict_flow.hpp>

namespace [[gnu::visibility("default")]] weir {

// The goal of a mapping search. Plain data.
struct mapping_goal {
  // The quantity to optimise.
  enum class kind {
    throughput,  // most records a second; among equals fewest cores, then shortest latency
    latency,     // shortest latency: alone, or at the rate of `at`; among equals most throughput
    cores        // fewest cores that carry the rate of `at`; among equals most throughput
  };
  kind wanted = kind::throughput;  // the quantity to optimise
  flow_options at{};               // the rate, and how queues and shared cores are predicted

  double least_throughput = 0;                                    // records a second that must be able to enter, finite
  double most_latency = std::numeric_limits<double>::infinity();  // seconds, alone or at the rate; above 0
  std::size_t top = 10;                                           // how many mappings to return, 1 or more

  // How many mappings, complete and partial ones, the exact search may consider before it gives up. That is at most ten
  // seconds' worth with ten components on 48 cores. On more than 64 cores, where each takes longer, it is as much
  // less.
  std::uint64_t most_steps = 50'000;

  // Throws std::invalid_argument naming the field, the value and what was expected.
  void validate() const;
};

// A mapping and its prediction.
struct found_mapping {
  mapping where;                 // which cores each component has
  network_prediction predicted;  // what the network does there
};

// The result of a search. Plain data.
struct mapping_search_result {
  std::vector<found_mapping> best;  // best first; empty: none was found within the constraints
  bool complete = false;            // true: proven that nothing better exists; else best of a local search
  std::uint64_t steps = 0;          // mappings considered
};

// Called now and then while mappings are looked for, by the thread that looks for them: how many were considered, and
// how many will be at most.
using search_progress = std::function<void(std::uint64_t considered, std::uint64_t at_most)>;

// Finds the best mappings of a network on a number of cores, among all mappings without a fault by check(). So
// components may be on any cores and share any with others, in any number of lanes or roaming, within cores, bounds,
// widths and slots. All cores are equal: mappings that differ only by which core is which are the same.
//
// A local search comes first. It starts from components all together, all apart and at random. It places one component
// anew, or moves a core from one component to another, while that helps.
//
// Branch and bound over all mappings comes next, one component after another, from the one with most work. It leaves
// out only mappings that cannot be among the best, since no component makes another faster. If that takes more than
// most_steps, `complete` is false and the best of both searches are returned.
//
// Both end after a number of mappings that follows from the number of cores alone: a minute or so on any machine, with
// ten components.
//
// Throws std::invalid_argument as network.validate() and goal.validate() do, and when there are no cores; and whatever
// `progress` throws.
mapping_search_result best_mappings(const network_model& network, int cores, const mapping_goal& goal,
                                    const search_progress& progress = {});

}  // namespace weir

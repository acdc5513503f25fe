#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "scheduler/predict/predict_flow.hpp"

namespace [[gnu::visibility("default")]] weir {

// What mapping is looked for. Plain data.
struct mapping_goal {
  enum class kind {
    throughput,  // most records a second; of equals the fewest cores, then the shortest latency
    latency,     // shortest way of a record: alone, or at the rate of `at`; of equals the most throughput
    cores        // fewest cores that carry the rate of `at`; of equals the most throughput
  };
  kind wanted = kind::throughput;
  flow_options at{};

  double least_throughput = 0;                                    // records a second that must be able to enter
  double most_latency = std::numeric_limits<double>::infinity();  // seconds, alone or at the rate
  std::size_t top = 10;                                           // so many mappings

  // Mappings, whole and begun ones, that the exact search may look at before it gives up: at most ten seconds' worth
  // with ten components on 48 cores.
  std::uint64_t most_steps = 50'000;

  // Throws std::invalid_argument naming the field, the value and what was expected.
  void validate() const;
};

// A mapping and what it does.
struct found_mapping {
  mapping where;
  network_prediction predicted;
};

struct mapping_search_result {
  std::vector<found_mapping> best;  // the best first; empty: none within the constraints was found
  bool complete = false;            // nothing better was left out; else what a search from many places found
  std::uint64_t steps = 0;          // mappings looked at
};

// The best mappings of a network on so many cores, among all that check() has nothing against: components on any cores,
// shared with any others, in any number of lanes or roaming, within cores, bounds, widths and slots. Cores are alike.
// Those that differ only by which core is which are one.
//
// First a local search, from components all together, all apart and at random: one component is placed anew, or a core
// goes from one to another, while that helps. Then branch and bound over everything, component by component, the one
// with most work first: what is left out cannot be among the best, since no component makes another faster. Where that
// takes more than most_steps, `complete` is false and the best of both stand.
//
// Throws std::invalid_argument as network.validate() and goal.validate() do, and when there are no cores.
mapping_search_result best_mappings(const network_model& network, int cores, const mapping_goal& goal);

}  // namespace weir

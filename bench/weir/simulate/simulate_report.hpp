#pragma once

#include <string>
#include <vector>

#include "bench/weir/simulate/simulate_results.hpp"

namespace weir::program {

// The result for people: a table of policies.
std::string simulate_text(const simulate_plan& plan, const std::vector<simulated_row>& rows);

// The moves of the first seed for people, each with its promised and realised gain. Without --decisions: nothing where
// there are several seeds or no moves, and only how many there are where these are many.
std::string decisions_text(const simulate_plan& plan, const std::vector<simulated_row>& rows);

// The changes of a decision, in words: "a 4 to 6 cores, b to the shared group"; the whole allotment if it is the first.
std::string moved_text(const decision& one, const std::vector<std::string>& names);

// The timelines of all runs as CSV: policy,seed,time,component,cores,width,predicted_per_second,observed_per_second. A
// field without a prediction is empty.
std::string timeline_csv(const simulate_plan& plan, const std::vector<simulated_row>& rows);

// The result for programs (bench/scenarios/README.md). The same plan gives the same text to the byte.
std::string simulate_json(const simulate_plan& plan, const std::vector<simulated_row>& rows);

}  // namespace weir::program

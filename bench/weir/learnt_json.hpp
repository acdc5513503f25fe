#pragma once

#include <nlohmann/json.hpp>

#include "model/estimator.hpp"

namespace weir::command {

// What the subcommands' JSON has in common: keys in the order in which they are written.
using json = nlohmann::ordered_json;

// null where there is no finite number: JSON has neither NaN nor infinity.
json number(double value);

// What was learnt: alpha, alpha_known, coefficients[], serial_fraction, contention, fork_join, scatter, observations,
// smallest_x, largest_x, smallest_cores, largest_cores, words.
json learnt_json(const description& learnt);

}  // namespace weir::command

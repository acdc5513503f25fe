#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/estimator.hpp"

namespace weir::command {

// What the subcommands' JSON has in common: keys in the order in which they are written.
using json = nlohmann::ordered_json;

// The text, with the end of a line. A name may have any bytes: what is no UTF-8 becomes U+FFFD, and control characters
// are escaped, those above ASCII as well.
std::string json_text(const json& value);

// null where there is no finite number: JSON has neither NaN nor infinity.
json number(double value);

// What was learnt: alpha, alpha_known, coefficients[], serial_fraction, contention, fork_join, scatter, observations,
// smallest_x, largest_x, smallest_cores, largest_cores, words.
json learnt_json(const description& learnt);

}  // namespace weir::command

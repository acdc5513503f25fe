#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include <weir/model/estimator.hpp>

namespace weir::program {

// JSON helpers of all subcommands: keys stay in the order of insertion.
using json = nlohmann::ordered_json;

// The text, with a line end. A name may have any bytes: invalid UTF-8 becomes U+FFFD, and control characters are
// escaped, including those above ASCII.
std::string json_text(const json& value);

// null for NaN and infinity, which JSON does not have.
json number(double value);

// A model's description: alpha, alpha_known, coefficients[], serial_fraction, contention, fork_join, scatter,
// observations, smallest_x, largest_x, smallest_cores, largest_cores, words.
json learnt_json(const description& learnt);

}  // namespace weir::program

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <weir/model/estimator.hpp>

namespace [[gnu::visibility("default")]] weir {

// The names that make_estimator() knows. First comes "weir", the default. The estimators of the papers follow, each
// after the one that it builds on: "simple-amdahl", "extended-amdahl" (offline), "extended-amdahl-online" and
// "parallel-penalty".
std::vector<std::string> estimator_names();

// The same names, plus the variants that are worth comparing. These vary the aggregation of alpha, the curves, the
// penalty over p, and the skeleton.
std::vector<std::string> estimator_variants();

// Makes an estimator by name, which is "name" or "name:word:word...". Each word picks an alternative of one option;
// words may come in any order. The header of each estimator lists its words.
//
// Throws std::invalid_argument when the name or a word is unknown, when two words choose the same option, or when the
// degree is outside 0..8. The message names what was given and what exists.
std::unique_ptr<estimator> make_estimator(std::string_view name, degree k);

}  // namespace weir

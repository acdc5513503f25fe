#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/estimator.hpp"

namespace [[gnu::visibility("default")]] weir {

// The estimators that can be named: "weir", which is ours, then those of the papers in the order they build on each
// other: "simple-amdahl", "extended-amdahl" (offline), "extended-amdahl-online" and "parallel-penalty".
std::vector<std::string> estimator_names();

// The names, and those with words that are worth comparing: the aggregations of alpha, the curves, the penalty over p,
// and the skeletons other than map.
std::vector<std::string> estimator_variants();

// Makes an estimator by name, which is "name" or "name:word:word...": each word picks an alternative of one option, in
// any order; the header of each estimator says which there are. Throws std::invalid_argument naming what was given and
// what exists when the name or a word is unknown, when two words choose the same option, or when the degree is outside
// 0..8.
std::unique_ptr<estimator> make_estimator(std::string_view name, degree k);

}  // namespace weir

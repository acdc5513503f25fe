#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/predictors/joint_index.hpp"

namespace weir {

// An index as numbers: appended to others, and taken from the front of some. take_index() returns nothing unless
// append_index() can have given the numbers for that many predictors.
void append_index(const joint_index& index, std::vector<double>& to);
std::optional<joint_index> take_index(std::span<const double>& from, int predictors);

}  // namespace weir

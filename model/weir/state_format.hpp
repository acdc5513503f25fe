#pragma once

#include <vector>

#include "model/law/power_sums.hpp"

namespace weir {

// The first number of a state of weir_estimator; it tells formats and estimators apart.
inline constexpr double former_format = 6, format_with_degree = 7, format_of_any_shape = 8;

inline double format_of(const power_sums& sums) { return sums.roots() ? format_of_any_shape : format_with_degree; }

// A state of the former format as one with a degree. The former one has one curve, no step and no tables of repeats. A
// state that is too short stays too short.
std::vector<double> updated(std::vector<double> state);

}  // namespace weir

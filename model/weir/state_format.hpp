#pragma once

#include <vector>

#include "model/law/power_sums.hpp"

namespace weir {

// The first number of a state of weir_estimator; it tells formats and estimators apart.
inline constexpr double format_with_degree = 9, format_of_any_shape = 10;

// Former ones. `first_format` has a degree, one curve, no step and no tables of repeats. None has a sketch of ratios.
inline constexpr double first_format = 6, former_with_degree = 7, former_of_any_shape = 8;
inline bool is_former(double format) {
  return format == first_format || format == former_with_degree || format == former_of_any_shape;
}

inline double format_of(const power_sums& sums) { return sums.roots() ? format_of_any_shape : format_with_degree; }

// A state of a former format as one of the present. A state that is too short stays too short. REQUIRES: is_former() of
// its first number.
std::vector<double> updated(std::vector<double> state);

}  // namespace weir

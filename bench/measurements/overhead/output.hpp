#pragma once

#include <string>
#include <vector>

#include "bench/measurements/overhead/rounds.hpp"

namespace weir::overhead {

// All measured values, for reading and for programs. `instructions_per_box`: NaN if not counted.
std::string as_text(const std::vector<measured>& all, int repeats, double instructions_per_box);
std::string as_json(const std::vector<measured>& all, int repeats, double instructions_per_box);

}  // namespace weir::overhead

#pragma once

#include <string>
#include <vector>

#include "bench/measurements/overhead/rounds.hpp"

namespace weir::overhead {

// Everything that was measured, for reading and for programs. `instructions_per_box`: NaN when not counted.
std::string as_text(const std::vector<measured>& all, int repeats, double instructions_per_box);
std::string as_json(const std::vector<measured>& all, int repeats, double instructions_per_box);

}  // namespace weir::overhead

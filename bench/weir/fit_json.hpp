#pragma once

#include <string>

#include "bench/weir/fit_options.hpp"
#include "bench/weir/fitted_component.hpp"

namespace weir::command {

// The result for programs, as bench/README.md describes it, in pieces, since it has a line for every row of a file:
// begin, then each component with its place in the list, then end.
std::string fit_json_begin(const fit_plan& plan);
std::string fit_json(const fitted_component& fitted, bool is_first);
std::string fit_json_end();

}  // namespace weir::command

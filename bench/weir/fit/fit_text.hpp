#pragma once

#include <string>
#include <vector>

#include "bench/weir/fit/fit_options.hpp"
#include "bench/weir/fit/fitted_component.hpp"

namespace weir::command {

// The result for people, of one component: by one estimator what was learnt and how far it is off; by several a table
// with a row each. REQUIRES: fitted not empty, all of the same component.
std::string fit_text(const fit_plan& plan, const std::vector<fitted_component>& fitted);

}  // namespace weir::command

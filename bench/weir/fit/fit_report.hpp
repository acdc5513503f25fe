#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/weir/fit/fit_options.hpp"
#include "bench/weir/fit/fitted_component.hpp"

namespace weir::program {

// The result of one component, for people. For one estimator: the model and its errors; for several: a table with one
// row each. REQUIRES: fitted not empty, all of the same component.
std::string fit_text(const fit_plan& plan, const std::vector<fitted_component>& fitted);

// The result for programs (README.md), printed in pieces, since it has a line for every row of a file: begin, each
// component, end.
using printer = std::function<void(const std::string&)>;

void print_fit_json_begin(const fit_plan& plan, const printer& print);
void print_fit_json(const fitted_component& fitted, bool is_first, const printer& print);
void print_fit_json_end(const printer& print);

}  // namespace weir::program

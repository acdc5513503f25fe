#pragma once

#include <string>
#include <vector>

#include "bench/weir/explain/explain_component.hpp"
#include "bench/weir/explain/explain_options.hpp"
#include "bench/weir/explain/observed_run.hpp"

namespace weir::program {

// The findings about a component, for people; ends with a line end.
std::string explain_text(const explained_component& found, const observed_run& run);

// The result for programs, as README.md describes it.
std::string explain_json(const explain_plan& plan, const observed_run& run,
                         const std::vector<explained_component>& found);

}  // namespace weir::program

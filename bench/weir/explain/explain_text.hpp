#pragma once

#include <string>

#include "bench/weir/explain/explain_component.hpp"
#include "bench/weir/explain/observed_run.hpp"

namespace weir::command {

// What was found of a component, for people; ends with the end of a line.
std::string explain_text(const explained_component& found, const observed_run& run);

}  // namespace weir::command

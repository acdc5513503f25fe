#pragma once

#include <string>

#include "tests/schedules/explorer.hpp"

// Plans of schedules as text, to be printed and repeated.
namespace weir::testing {

std::string words(const schedule_plan& p);
schedule_plan plan_of(const std::string& text);  // throws std::invalid_argument

}  // namespace weir::testing

#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

namespace weir::testing {

// The value that a text is; throws nlohmann::json::parse_error. Compiled once: a parser in each test takes seconds
// each.
nlohmann::json parsed(const std::string& text);

}  // namespace weir::testing

NLOHMANN_JSON_NAMESPACE_BEGIN
void PrintTo(const json& value, std::ostream* out);  // by GoogleTest
NLOHMANN_JSON_NAMESPACE_END

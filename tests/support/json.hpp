#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

namespace weir::testing {

// The value of a JSON text; throws nlohmann::json::parse_error. Compiled once, since a parser in each test would take
// seconds each.
nlohmann::json parsed(const std::string& text);

}  // namespace weir::testing

NLOHMANN_JSON_NAMESPACE_BEGIN
void PrintTo(const json& value, std::ostream* out);  // by GoogleTest
NLOHMANN_JSON_NAMESPACE_END

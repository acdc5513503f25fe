#include "tests/support/json.hpp"

#include <ostream>

nlohmann::json weir::testing::parsed(const std::string& text) { return nlohmann::json::parse(text); }

NLOHMANN_JSON_NAMESPACE_BEGIN
void PrintTo(const json& value, std::ostream* out) { *out << value; }
NLOHMANN_JSON_NAMESPACE_END

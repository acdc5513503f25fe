#pragma once

#include <exception>
#include <string>

namespace weir::detail {

// The fault of a JSON text as a message of weir: "invalid JSON at line 1, column 5: invalid literal". The messages of
// nlohmann::json begin with the names of its exceptions, which users do not know; any other message is returned
// unchanged. Foreign text in it is as long as the library quotes it.
std::string json_fault(const std::exception& thrown);

}  // namespace weir::detail

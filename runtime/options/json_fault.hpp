#pragma once

#include <exception>
#include <string>

namespace weir::detail {

// What is wrong with a text that is to be JSON, in our words: "it is no JSON at line 1, column 5: invalid literal". The
// messages of nlohmann::json begin with the names of its exceptions, which no user knows; any other message is given
// back as it is. Foreign text in it is as long as the library quotes it.
std::string json_fault(const std::exception& thrown);

}  // namespace weir::detail

#pragma once

#include <string>

namespace weir::detail::processes {

// Throws std::system_error that says what could not be done, with which limit stands in the way where one does.
[[noreturn]] void refuse(int reason, std::string what);

}  // namespace weir::detail::processes

#pragma once

#include <string>

#include <weir/threads/scheduled.hpp>

namespace weir::testing {

// Where in the sources an address of this program is, as " in FUNCTION at FILE:LINE" for it and each function inlined
// around it, by addr2line; " at 0x..." without that program. Slow: for messages.
std::string place_of(const void* address);

// The activity of a thread that does this, for messages.
const char* words(detail::scheduled::operation what);

}  // namespace weir::testing

#pragma once

#include <string_view>

namespace weir::command {

// All that the command writes to standard output goes through here, so that none of it is lost without a word.

// Writes text. Control characters but the end of a line are escaped, as printable() does, wherever they came from.
// What fails is said by close_standard_output(): files that are written after it must not be lost as well.
void print(std::string_view text);

// Throws std::runtime_error that says why, when anything that was printed could not be written.
void close_standard_output();

}  // namespace weir::command

#pragma once

#include <string>

namespace weir {

// A number as text for messages, reports and files: as printf prints it in the "C" locale, whatever locale the program
// has set. Thread-safe.
std::string in_digits(double value, int digits = 6);  // "%.6g"
std::string in_places(double value, int places);      // "%.2f"

}  // namespace weir

#pragma once

#include <string>

namespace weir::program {

// A JSON value as text that is the same for equal values. It has no spaces, the members of objects in the order of
// their keys, texts in one notation, and numbers by their exact value: 1, 1.0 and 10e-1 are equal. Text that is no JSON
// comes back as it is.
std::string json_key(const std::string& value);

}  // namespace weir::program

#pragma once

#include <string>

namespace weir::program {

// Throws bad_input that begins with `option` if there is no such estimator, or none of degree k. It tries to make one,
// so that it needs no list of names and variants.
void require_estimator(const std::string& option, const std::string& name, int k);

}  // namespace weir::program

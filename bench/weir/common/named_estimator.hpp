#pragma once

#include <string>

namespace weir::command {

// Throws bad_input that begins with `option` when there is no such estimator, or none of degree k: by trying to make
// one, so that names of variants need no list here.
void require_estimator(const std::string& option, const std::string& name, int k);

}  // namespace weir::command

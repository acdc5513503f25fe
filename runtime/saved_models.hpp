#pragma once

#include <map>
#include <string>

#include "runtime/options.hpp"

namespace weir {

// Models as versioned JSON text, for a file that outlives the run. Exact: what is read back is what was written.
std::string write_models(const std::map<std::string, saved_model>& models);

// Throws std::invalid_argument, saying what was found and expected and where, when the text is no such JSON, is of a
// newer version, or is damaged. Unknown estimators are left to options::prior_models.
std::map<std::string, saved_model> read_models(const std::string& text);

}  // namespace weir

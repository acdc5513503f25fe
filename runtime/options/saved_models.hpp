#pragma once

#include <map>
#include <memory>
#include <string>

#include "model/estimator.hpp"
#include "runtime/options/options.hpp"

namespace [[gnu::visibility("default")]] weir {

// Models as versioned JSON text, for a file that outlives the run. Exact: what is read back is what was written. A name
// may have any bytes: of one that is no UTF-8 the text has its numbers.
std::string write_models(const std::map<std::string, saved_model>& models);

// Throws std::invalid_argument, saying what was found and expected and where, when the text is no such JSON, is of a
// newer version, or is damaged. Whether its estimators exist and its states fit is left to estimator_of.
std::map<std::string, saved_model> read_models(const std::string& text);

// The estimator as it was saved: predicts and learns on to the bit as the saved one would. Throws std::invalid_argument
// when no estimator has this name or degree, or the state is not one of it.
std::unique_ptr<estimator> estimator_of(const saved_model& saved);

}  // namespace weir

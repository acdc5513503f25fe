#pragma once

#include <map>
#include <memory>
#include <string>

#include <weir/model/estimator.hpp>
#include <weir/options/options.hpp>

namespace [[gnu::visibility("default")]] weir {

// Models as versioned JSON text, for a file that outlives the run. Exact: read_models() returns what was written. A
// name may have any bytes; one that is not UTF-8 is written as numbers.
std::string write_models(const std::map<std::string, saved_model>& models);

// The models in such a text. Throws std::invalid_argument when the text is no such JSON, is of another version, or is
// damaged, saying what was found and expected and where. Whether its estimators exist and its states fit is left to
// estimator_of.
std::map<std::string, saved_model> read_models(const std::string& text);

// The estimator as it was saved: it predicts, and learns on, to the bit as the saved one would. Throws
// std::invalid_argument when no estimator has this name or degree, or when the state is not one of it.
std::unique_ptr<estimator> estimator_of(const saved_model& saved);

}  // namespace weir

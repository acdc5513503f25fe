#pragma once

#include <map>
#include <string>

#include <weir/options/saved_model.hpp>

namespace weir::program {

// The models in a file, by component: what `weir fit --save`, `weir matmul --save-model` and write_models() write.
// Throws bad_input naming the file if it cannot be read, is damaged or has no model.
std::map<std::string, saved_model> read_models_file(const std::string& path);

}  // namespace weir::program

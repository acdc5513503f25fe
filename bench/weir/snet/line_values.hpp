#pragma once

#include "runtime/snet/record_notation.hpp"

namespace weir::program {

// Bytes, files, lists of numbers and floating-point numbers stand in weir's own lines as their JSON (json_values.hpp),
// but `nan` and `inf` have no quotes. A type of registry::reads that prints is left to its reader. Any thread may use
// it.
extern const detail::snet::value_texts line_values;

}  // namespace weir::program

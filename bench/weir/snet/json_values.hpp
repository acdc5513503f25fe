#pragma once

#include <iosfwd>
#include <string>

#include <weir/network/registry.hpp>
#include <weir/record/value_type.hpp>
#include "bench/weir/snet/placed_json.hpp"

namespace weir::program {

// JSON of a field into which no box looks, as it stands in the line that it came with.
struct kept_json {
  std::string text;
};
std::ostream& operator<<(std::ostream& to, const kept_json& value);

// The value of a field of this type. Throws std::invalid_argument that says what was found and expected. Types:
//
//   text, path       a text; bytes that are no UTF-8: {"base64": "/w=="}
//   bytes            {"base64": "/w=="}
//   scratch_file     written as the bytes in it; not read
//   integers, bool   an integer within the C++ type's range; true or false
//   floating point   a number, or "nan", "inf", "-inf"
//   vectors of them  a list
//   of a library     a text for its reader (registry::reads)
detail::slot_word word_of(const placed_json& value, const value_type& type, const registry& known);

// The JSON that word_of reads as the same value; of another type the text that it prints. Throws std::runtime_error
// that names the field when it cannot be printed, or its file not be read.
std::string json_of(const detail::label_info& label, const detail::slot_word& word);

// Whether json_of gives more of such values than the name of their type, which a type without operator<< prints as.
bool has_text(const value_type& type);

// A JSON text of these bytes, or {"base64": ..} when they are no UTF-8.
std::string json_text_of(const std::string& bytes);

}  // namespace weir::program

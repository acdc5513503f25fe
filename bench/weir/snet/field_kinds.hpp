#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <weir/process/field_bytes.hpp>
#include <weir/record/value_type.hpp>

namespace weir::program {

// A type that a file of boxes gives to fields, by name.
struct field_kind {
  std::string_view name;
  const value_type* type;
  const detail::field_bytes* bytes;  // null: a command can neither be given one nor give one
};

// bytes, file, integer, integers, number, numbers, path, text.
const std::vector<field_kind>& field_kinds();

const field_kind* find_kind(std::string_view name);    // null when there is none
const field_kind* kind_of(const value_type& type);     // null when it is the type of none
std::string names_of_kinds(bool of_commands = false);  // "bytes, file, .."; those with bytes only

// The name of a field's type in a file of boxes, else that of its C++ type.
std::string kind_name(const value_type& type);

}  // namespace weir::program

#pragma once

#include <string>
#include <typeinfo>

#include <weir/record/label.hpp>
#include <weir/record/value_type.hpp>

// Words that several messages share.
namespace weir::detail {

// The name of a type with its article: "an int", "a std::string".
std::string a_type(const std::type_info& type);
std::string a_type(const value_type& type);

// "the codec of field 'a' of type matrix".
[[gnu::visibility("default")]] std::string codec_of(const label_info& field);

}  // namespace weir::detail

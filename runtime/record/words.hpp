#pragma once

#include <string>
#include <typeinfo>

// Words that several messages share.
namespace weir::detail {

// The name of a type with its article: "an int", "a std::string".
std::string a_type(const std::type_info& type);

}  // namespace weir::detail

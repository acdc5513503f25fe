#pragma once

#include <string>
#include <typeinfo>

// Words of messages that several places write.
namespace weir::detail {

// "an int", "a std::string".
std::string a_type(const std::type_info& type);

}  // namespace weir::detail

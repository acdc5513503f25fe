#pragma once

#include <string>
#include <typeinfo>

namespace weir::detail {

// The name of a C++ type as people write it: without default template arguments and the library's inner namespaces.
std::string written_name(const std::type_info& type);

}  // namespace weir::detail

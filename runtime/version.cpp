#include <weir/version.hpp>

namespace weir {

std::string_view linked_version() { return WEIR_VERSION; }

}  // namespace weir

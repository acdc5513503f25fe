#include "runtime/page/template.hpp"

// That of a build without the page, in the place of the library's.
namespace weir::detail {

std::span<const std::string_view> page_template() noexcept { return {}; }

}  // namespace weir::detail

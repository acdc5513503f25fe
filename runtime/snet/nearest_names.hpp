#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::detail::snet {

// The names that are nearest to `name`, as ` (did you mean a or b?)`; "" when none is near.
std::string nearest_to(std::string_view name, const std::vector<std::string_view>& known);

// The same; when none is near all, if they are few.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace weir::detail::snet

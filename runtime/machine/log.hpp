#pragma once

#include <string>

namespace weir::detail {

// Says it in spdlog's logger "weir". Who wants it elsewhere registers a logger of that name before the first run; else
// it is made, and writes to stderr. Thread-safe; never throws.
void log_warning(const std::string& sentence) noexcept;

}  // namespace weir::detail

#pragma once

#include <string>

namespace weir::detail {

// Logs a warning to spdlog's logger "weir". To send it elsewhere, register a logger of that name before the first run;
// else one is made that writes to stderr. Does nothing once the process is exiting. Thread-safe; never throws.
void log_warning(const std::string& sentence) noexcept;

// The same at level info.
void log_info(const std::string& sentence) noexcept;

}  // namespace weir::detail

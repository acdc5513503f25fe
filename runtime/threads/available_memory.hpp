#pragma once

#include <cstdint>

namespace weir::detail {

// Available memory and swap, in bytes; the maximum of the type if /proc/meminfo lacks them.
std::uint64_t available_memory();

}  // namespace weir::detail

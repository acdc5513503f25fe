#pragma once

#include <cstdint>
#include <filesystem>

namespace weir {

// The bytes of memory that the process may use: those of the machine, or the least limit of its control groups, of
// cgroup v1 and v2. A limit that cannot be read counts as none. `root` as in limit_files(). Thread-safe.
std::int64_t memory_limit(const std::filesystem::path& root = "/");

}  // namespace weir

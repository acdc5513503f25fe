#pragma once

#include <cstddef>
#include <filesystem>

#include "examples/logs/access_log.hpp"

namespace examples::logs {

constexpr std::size_t block_size = std::size_t{1} << 20;  // bytes that are read, parsed and counted together

// All do the same: read the file, "-" for the standard input, and count its errors by path. They throw what reading
// throws.
summary by_weir(const std::filesystem::path& log, std::size_t most);
summary by_lines(const std::filesystem::path& log, std::size_t most);  // weir, with a record for each line
summary by_pipeline(const std::filesystem::path& log, std::size_t most);

}  // namespace examples::logs

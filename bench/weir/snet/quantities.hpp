#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir::program {

// A number with its unit: "500 ms", "30 s", "5 min", "2 h" in seconds, and "512 MB", "1.5 GiB" in bytes. Nothing for
// another text.
std::optional<double> seconds_in(std::string_view text);
std::optional<double> bytes_in(std::string_view text);
// Without the fraction of a byte. Nothing also for 2^63 bytes and more.
std::optional<std::int64_t> whole_bytes_in(std::string_view text);

}  // namespace weir::program

#include "bench/weir/snet/quantities.hpp"

#include <charconv>
#include <cmath>
#include <span>
#include <system_error>

namespace weir::program {
namespace {

// A number with a unit behind it: "1.5 GiB".
struct unit {
  std::string_view name;
  double size;
};

std::optional<double> quantity(std::string_view text, std::span<const unit> units) {
  double number = 0;
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  for (const unit& u : units)
    if (rest == u.name) return number * u.size;
  return std::nullopt;
}

constexpr unit times[]{{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};
constexpr unit sizes[]{{"kB", 1e3},     {"MB", 1e6},        {"GB", 1e9},
                       {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};

}  // namespace

std::optional<double> seconds_in(std::string_view text) { return quantity(text, times); }

std::optional<double> bytes_in(std::string_view text) { return quantity(text, sizes); }

std::optional<std::int64_t> whole_bytes_in(std::string_view text) {
  constexpr double most = 0x1p63;
  const std::optional<double> bytes = bytes_in(text);
  return bytes && *bytes < most ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
}

}  // namespace weir::program

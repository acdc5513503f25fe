#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace weir::program {

// A number from `least` to `most`: like CLI::Range, but refuses NaN.
inline CLI::Validator number_range(double least, double most) {
  return {[=](const std::string& text) {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return std::string();
            return fmt::format("{} is no number from {} to {}", text, least, most);
          },
          fmt::format("FLOAT from {} to {}", least, most)};
}

// A whole number from `least` to `most`, in decimal digits, for transform(..) of an option. CLI11 alone makes another
// number of a negative one, of one of more than 64 bits, and of 010, which it takes for octal.
inline CLI::Validator whole_range(std::uint64_t least = 0, std::uint64_t most = ~std::uint64_t{0}) {
  return {[=](std::string& text) {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto [stopped, error] = std::from_chars(text.data(), end, value);
            if (stopped == end && error == std::errc{} && value >= least && value <= most) {
              text = std::to_string(value);
              return std::string();
            }
            const bool is_whole = text.find_first_of("0123456789") != text.npos &&
                                  text.find_first_not_of("0123456789", text[0] == '-') == text.npos;
            return is_whole ? fmt::format("{} is not in {}..{}", text, least, most)
                            : fmt::format("\"{}\" is not a whole number in {}..{}", text, least, most);
          },
          ""};
}

}  // namespace weir::program

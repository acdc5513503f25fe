#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

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

}  // namespace weir::program

#pragma once

#include <stdexcept>
#include <string>

#include "model/number_text.hpp"

namespace weir {

// Checks a precondition: throws std::invalid_argument with these words unless it holds.
inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument(what);
}

// The same for a named part: "arrivals: there is no rate".
inline void require(const char* of, bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument(std::string(of) + ": " + what);
}

// The same for an option: "throughput_options: tie is 2; it must be in [0, 1)".
inline void require_option(const char* options, bool holds, const char* field, double value, const char* range) {
  if (holds) return;
  throw std::invalid_argument(std::string(options) + ": " + field + " is " + in_digits(value) + "; it must be " +
                              range);
}

}  // namespace weir

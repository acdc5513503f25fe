#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/remote/window.hpp"

namespace weir::detail::remote {

// The message of a rank to every other before a run: all that both ends of a cut must agree on. Plain data.
struct greeting {
  std::string version;  // of weir; first, since the rest may differ with it
  std::string network;  // fingerprint_of()
  window_limits limits;
};

// As it travels, and back. Nothing: these are no texts of a greeting, so another version sent them.
std::vector<std::string> texts_of(const greeting& g);
std::optional<greeting> greeting_of(const std::vector<std::string>& texts);

// The limits by which all ranks of a run go: of records and bytes the least that a rank named, all else as this rank
// named it. `all`: by rank; nothing where greeting_of() gave nothing. The answer, or the refusal, is the same on every
// rank.
//
// Throws type_error: two ranks have different networks or versions; std::invalid_argument: an option that must be the
// same is not; it names the option, both values and both ranks.
window_limits agreed(const std::vector<std::optional<greeting>>& all, int self);

}  // namespace weir::detail::remote

#pragma once

#include <cstddef>
#include <vector>

#include "runtime/network/signature.hpp"

namespace weir::detail {

struct node;

// Why a variant is not taken, or would be taken otherwise: an input variant, and what is lacking for it.
struct type_mismatch {
  const node* who;     // the network that takes it
  variant_type takes;  // what it takes
  variant_type missing;
  variant_type arriving;                   // what it is
  const label_info* unexpected = nullptr;  // a binding tag that it does not take
  bool at_exit = false;                    // a star's, to leave it
  bool unreachable = false;                // what is missing was used up inside: it cannot come in with the input
};

struct type_transfer {
  bool matches = false;
  std::vector<signature::outcome> out;  // if it matches
  // What, inherited as well, would make it match; if it matches, what would lead the record elsewhere in a choice,
  // where that is the first thing it comes to.
  std::vector<type_mismatch> mismatches;
};

// Variants of one network, whatever combinator made it, and variants that may go round in one star or feedback, at
// most: far beyond what is written by hand, and little enough that nothing takes long. A type_error beyond; a network
// that is closed by `.as` with a declared signature counts as one.
inline constexpr std::size_t most_variants = 1024;

}  // namespace weir::detail

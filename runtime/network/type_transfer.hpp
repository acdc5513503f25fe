#pragma once

#include <cstddef>
#include <vector>

#include <weir/network/signature.hpp>

namespace weir::detail {

// An input variant of a network that an arriving variant does not match, and the difference. It explains a refusal, or
// names a better match that lacks some labels.
struct type_mismatch {
  const node* who;                         // the network that takes the input variant
  variant_type takes;                      // the input variant
  variant_type missing;                    // its labels that `arriving` lacks
  variant_type arriving;                   // the labels that the record certainly has
  const label_info* unexpected = nullptr;  // a binding tag of `arriving` that is not taken
  bool at_exit = false;                    // the input variant is an exit of a star
  bool unreachable = false;                // a missing label was consumed inside, so the input cannot bring it
};

// A node's answer for one variant.
struct type_transfer {
  bool matches = false;
  std::vector<signature::outcome> out;  // if it matches
  // If it does not match: the input variants that it would match with further inherited labels. If it matches: the
  // input variants of more labels, which would send the record to another branch of a choice. The latter only for a
  // choice that the record meets first.
  std::vector<type_mismatch> mismatches;
};

// The most variants of one network, by any combinator, and the most that may re-enter one star or feedback. It is far
// more than one writes by hand, and keeps checks fast. Beyond it combinators throw type_error. A network that `.as`
// closes with a declared signature counts as one variant.
inline constexpr std::size_t most_variants = 1024;

}  // namespace weir::detail

#pragma once

#include <vector>

#include "runtime/snet/fault_list.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::detail::snet {

// Parses a text. Errors go to `faults`; after an error it resumes at the next definition, so that all are found. The
// result refers to the text. Takes linear time. `taken`, if not null, gets the tokens for a layout.
module parse(const source_text& text, fault_list& faults, std::vector<placed_token>* taken = nullptr);

}  // namespace weir::detail::snet

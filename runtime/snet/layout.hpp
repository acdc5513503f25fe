#pragma once

#include <string>

#include "runtime/snet/fault_list.hpp"

namespace weir::detail::snet {

// The text in its canonical layout: a definition a line, bodies indented, spaces by rule, long lines broken in front of
// combinators. Tokens, comments and single blank lines stay, and the layout of a layout is itself. Errors go to
// `faults`; the result is then not to be used.
std::string laid_out(const source_text& text, fault_list& faults);

}  // namespace weir::detail::snet

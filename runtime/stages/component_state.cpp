#include "runtime/stages/component_state.hpp"

#include "runtime/patterns/pattern.hpp"

namespace weir::detail {

std::string component_state::mismatch(const shape& s) const { return detail::mismatch(spec->takes, s); }

}  // namespace weir::detail
